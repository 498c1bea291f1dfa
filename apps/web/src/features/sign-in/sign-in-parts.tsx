import Link from '@mui/material/Link'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { ActionButton } from '../../ui/action-button.tsx'

export const Title = styled('h1')({
  marginBottom: 24,
  fontSize: 20,
  lineHeight: '28px',
  fontWeight: 600,
  color: 'var(--text-strong)',
})
const Explanation = styled('p')({ margin: '-16px 0 24px', fontSize: 13, lineHeight: '20px', color: 'var(--text-2)' })
const Form = styled('form')({ display: 'flex', flexDirection: 'column', gap: 16 })
export const FootRow = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  minHeight: 16,
})

interface SignInScreenProps {
  title: string
  explanation?: string | undefined
  onSubmit: (event: React.FormEvent) => void
  children: ReactNode
}

/** The layout of all sign-in screens: title, explanation, fields, one button, links. */
export const SignInScreen = ({ title, explanation, onSubmit, children }: SignInScreenProps) => (
  <>
    <Title>{title}</Title>
    {explanation && <Explanation>{explanation}</Explanation>}
    <Form noValidate onSubmit={onSubmit}>
      {children}
    </Form>
  </>
)

export const SubmitButton = ({ isBusy, children }: { isBusy: boolean; children: string }) => (
  <ActionButton type="submit" variant="contained" color="primary" size="large" fullWidth isBusy={isBusy}>
    {children}
  </ActionButton>
)

/** A link to another state of the same page. */
export const StateLink = ({ href, onFollow, children }: { href: string; onFollow: () => void; children: string }) => (
  <Link
    href={href}
    sx={{ fontWeight: 600, alignSelf: 'flex-start' }}
    onClick={(event) => {
      event.preventDefault()
      onFollow()
    }}
  >
    {children}
  </Link>
)
