import Link from '@mui/material/Link'
import { Link as RouterLink } from 'react-router'
import { Title } from './sign-in-parts.tsx'
import { forgotHash } from './use-forgot-address.ts'

/** An invalid reset link (used, expired, unknown, or of a disabled account), with the server's message and what to do instead. */
export const InvalidLink = ({ message, canAskAgain }: { message: string; canAskAgain: boolean }) => (
  <>
    <Title>Reset Password</Title>
    <p style={{ margin: '-8px 0 24px', fontSize: 13, lineHeight: '20px' }}>{message}</p>
    <Link component={RouterLink} to={canAskAgain ? `/login${forgotHash}` : '/login'} sx={{ fontWeight: 600 }}>
      {canAskAgain ? 'Forgot Password' : 'Back to login'}
    </Link>
  </>
)
