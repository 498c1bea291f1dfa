import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'

const Frame = styled('section')({
  background: 'var(--surface)',
  border: '1px solid var(--p-400)',
  borderRadius: 'var(--r-md)',
  boxShadow: '0 0 0 1px var(--p-400), var(--shadow-2)',
  containerType: 'inline-size',
})
const Head = styled('header')(({ theme }) => ({
  // In view however long the form is.
  position: 'sticky',
  top: 0,
  zIndex: 3,
  background: 'var(--surface)',
  borderRadius: 'var(--r-md) var(--r-md) 0 0',
  minHeight: 40,
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  padding: '0 8px 0 12px',
  borderBottom: '1px solid var(--line)',
  '& h2': { fontSize: 13, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
  '& > .actions': { display: 'flex', gap: 8, marginLeft: 'auto' },
  [theme.breakpoints.down('sm')]: { '& > .actions': { display: 'none' } },
}))
const Tag = styled('span')({
  height: 18,
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  lineHeight: '18px',
  fontWeight: 600,
  background: 'var(--info-bg)',
  color: 'var(--info)',
  boxShadow: 'inset 0 0 0 1px color-mix(in srgb, currentColor 14%, transparent)',
  // Hidden where it would wrap; the frame and the buttons show the same.
  '@container (max-width: 380px)': { display: 'none' },
})
const Body = styled('div')({ padding: 12 })
const Foot = styled('footer')(({ theme }) => ({
  display: 'flex',
  justifyContent: 'flex-end',
  gap: 8,
  marginTop: 12,
  position: 'sticky',
  bottom: 0,
  zIndex: 3,
  background: 'var(--surface)',
  '&.small': {
    padding: 12,
    marginTop: 0,
    borderTop: '1px solid var(--line)',
    '& > button': { flex: '1 1 0' },
    [theme.breakpoints.up('sm')]: { display: 'none' },
  },
}))

interface FormCardProps {
  title: string | undefined
  isEdit: boolean
  actions: ReactNode
  children: ReactNode
}

/** The card of a form: its buttons are in the header, on phones below the fields. */
export const FormCard = ({ title, isEdit, actions, children }: FormCardProps) => {
  const id = useId()
  if (title === undefined)
    return (
      <>
        {children}
        <Foot>{actions}</Foot>
      </>
    )
  return (
    <Frame aria-labelledby={id}>
      <Head>
        <h2 id={id}>{title}</h2>
        {isEdit && <Tag>Editing</Tag>}
        <div className="actions">{actions}</div>
      </Head>
      <Body>{children}</Body>
      <Foot className="small">{actions}</Foot>
    </Frame>
  )
}
