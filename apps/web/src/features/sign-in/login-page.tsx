import { messages } from '@lis/contract/messages.ts'
import { useEffect, useState } from 'react'
import { Navigate, useLocation } from 'react-router'
import { pageAfterSignIn } from '../../lib/return-address.ts'
import { useHasExpired, useSession } from '../../lib/session.ts'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { forgetPasswordChange, pendingPasswordChange } from './pending-password-change.ts'
import { SignInFlow } from './sign-in-flow.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { atLogin, type SignInState } from './sign-in-machine.ts'
import { forgotHash } from './use-forgot-address.ts'

const initialState = (hash: string, hasExpired: boolean): SignInState => {
  const change = pendingPasswordChange()
  if (change && hasExpired) return { name: 'passwordExpired', ...change }
  return hash === forgotHash ? { name: 'forgotPassword', userName: '' } : atLogin
}

export const LoginPage = () => {
  useDocumentTitle('Login')
  const session = useSession()
  const hasExpired = useHasExpired()
  const location = useLocation()
  const [initial] = useState(() => initialState(location.hash, hasExpired))
  useEffect(() => forgetPasswordChange, [])
  // Also for users who are already signed in, here or in another tab.
  if (session) return <Navigate to={pageAfterSignIn(location.state, session.access.userId)} replace />
  return (
    <SignInFrame>
      {/* A user with an expired password sees that instead. */}
      <SignInFlow
        isOnPage
        initial={initial}
        reason={hasExpired && initial.name !== 'passwordExpired' ? messages.sessionExpired : undefined}
      />
    </SignInFrame>
  )
}
