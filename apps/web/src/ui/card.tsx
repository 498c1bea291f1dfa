import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'

const Frame = styled('section')({
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  boxShadow: 'var(--shadow-1)',
})
const Head = styled('header')(({ theme }) => ({
  minHeight: 40,
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  padding: '0 8px 0 12px',
  borderBottom: '1px solid var(--line)',
  '& h2': { flex: '1 1 auto', fontSize: 13, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
  [theme.breakpoints.down('sm')]: { flexWrap: 'wrap', padding: '4px 8px 4px 12px' },
}))
const Body = styled('div')({ padding: 12 })

/** A titled region of a page. */
export const Card = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => {
  const id = useId()
  return (
    <Frame aria-labelledby={id}>
      <Head>
        <h2 id={id}>{title}</h2>
        {actions}
      </Head>
      <Body>{children}</Body>
    </Frame>
  )
}
