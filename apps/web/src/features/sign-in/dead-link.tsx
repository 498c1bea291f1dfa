import Link from '@mui/material/Link'
import { Link as RouterLink } from 'react-router'
import { Title } from './sign-in-parts.tsx'

/** A reset link that was used, ran out or never was one: what to do instead. */
export const DeadLink = () => (
  <>
    <Title>Reset Password</Title>
    <p style={{ margin: '-8px 0 24px', fontSize: 13, lineHeight: '20px' }}>
      This link is no longer valid. Please request a new one.
    </p>
    <Link component={RouterLink} to="/login#forgot-password" sx={{ fontWeight: 600 }}>
      Forgot Password
    </Link>
  </>
)
