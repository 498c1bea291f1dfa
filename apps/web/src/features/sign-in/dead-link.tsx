import Link from '@mui/material/Link'
import { Link as RouterLink } from 'react-router'
import { Title } from './sign-in-parts.tsx'
import { forgotHash } from './use-forgot-address.ts'

/** A reset link that leads nowhere (used, run out, never one, or of a disabled account), in the server's words: what to do instead. */
export const DeadLink = ({ message, canAskAgain }: { message: string; canAskAgain: boolean }) => (
  <>
    <Title>Reset Password</Title>
    <p style={{ margin: '-8px 0 24px', fontSize: 13, lineHeight: '20px' }}>{message}</p>
    <Link component={RouterLink} to={canAskAgain ? `/login${forgotHash}` : '/login'} sx={{ fontWeight: 600 }}>
      {canAskAgain ? 'Forgot Password' : 'Back to login'}
    </Link>
  </>
)
