import { type confirmPasswordInput, sessionRoutes } from '@lis/contract/session.ts'
import Link from '@mui/material/Link'
import { useEffect, useState } from 'react'
import { Link as RouterLink, useNavigate, useParams } from 'react-router'
import type { z } from 'zod'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import type { Challenge } from '../../lib/identity.ts'
import { sessionStore } from '../../lib/session.ts'
import { useNotify } from '../../ui/notices.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { CodeForm } from './code-form.tsx'
import { ResetForm } from './reset-form.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { Title } from './sign-in-parts.tsx'
import { forgotHash } from './use-forgot-address.ts'

type Reset = Pick<z.input<typeof confirmPasswordInput>, 'userName' | 'newPwd'>

/** The step: choosing the password, verifying the user, or an invalid link. */
type Step =
  | { name: 'checking' }
  | { name: 'password' }
  | { name: 'code'; reset: Reset; challenge: Challenge; sentAt: number }
  | { name: 'dead'; message: string; canAskAgain: boolean }

/** The page of a password reset link: a new password, then the second factor. */
export const ResetPage = () => {
  useDocumentTitle('Reset Password')
  const { token = '' } = useParams()
  const navigate = useNavigate()
  const notify = useNotify()
  const [step, setStep] = useState<Step>({ name: 'checking' })
  const [isBusy, setBusy] = useState(false)
  const [serverErrors, setServerErrors] = useState<Record<string, string>>({})

  useEffect(() => {
    const leaving = new AbortController()
    call(sessionRoutes.checkResetLink, { body: { token }, signal: leaving.signal })
      .then(() => setStep({ name: 'password' }))
      .catch((error: unknown) => {
        // Any other failure may be over when the form is sent.
        if (!leaving.signal.aborted) setStep(invalidLinkStep(error) ?? { name: 'password' })
      })
    return () => leaving.abort()
  }, [token])

  const run = async (work: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setServerErrors({})
    try {
      await work()
    } catch (error) {
      const dead = invalidLinkStep(error)
      if (dead) return setStep(dead)
      notify.error(error instanceof Error ? error.message : undefined)
      if (error instanceof ApiError)
        setServerErrors(Object.fromEntries(error.errors.map(({ field, message }) => [field, message])))
    } finally {
      setBusy(false)
    }
  }
  const begin = (reset: Reset) =>
    run(async () => {
      const { data } = await call(sessionRoutes.confirmPassword, { body: { ...reset, token } })
      notify.dismissAll()
      const name = data?.challengeName === 'SOFTWARE_TOKEN_MFA' ? 'SOFTWARE_TOKEN_MFA' : 'SMS_MFA'
      const challenge = { name, session: '', userName: reset.userName, destination: undefined } as const
      setStep({ name: 'code', reset, challenge, sentAt: Date.now() })
    })
  const finish = (reset: Reset, verificationCode: string) =>
    run(async () => {
      const { message } = await call(sessionRoutes.confirmPassword, { body: { ...reset, token, verificationCode } })
      // Close errors of earlier attempts.
      notify.dismissAll()
      notify.info(message)
      leaveOldSession(reset.userName)
      navigate('/login', { replace: true })
    })

  return (
    <SignInFrame>
      {step.name === 'checking' && <LoadingState label="Checking the link" />}
      {step.name === 'dead' && <InvalidLink message={step.message} canAskAgain={step.canAskAgain} />}
      {step.name === 'password' && <ResetForm isBusy={isBusy} serverErrors={serverErrors} onSubmit={begin} />}
      {step.name === 'code' && (
        <CodeForm
          title="Reset Password"
          challenge={step.challenge}
          sentAt={step.sentAt}
          isBusy={isBusy}
          onSubmit={(code) => finish(step.reset, code)}
          onResend={() => begin(step.reset)}
          onBack={() => navigate('/login')}
        />
      )}
    </SignInFrame>
  )
}

/** The server has ended the session with the old password; it has not expired, so no such message is shown. */
const leaveOldSession = (userName: string) => {
  const open = sessionStore.get()
  if (!open || open.access.userName.toLowerCase() === userName.toLowerCase()) sessionStore.clear('signedOut')
}

const invalidLinkStep = (error: unknown): Step | null => {
  if (!(error instanceof ApiError)) return null
  const { message } = error
  const canAskAgain = message.startsWith(invalidLinkText)
  return canAskAgain || message.startsWith(disabledText) ? { name: 'dead', message, canAskAgain } : null
}

// The server reports all of these for the code's field; only the message distinguishes them from a wrong code.
const invalidLinkText = 'This link is no longer valid'
const disabledText = 'This account is disabled'

/** An invalid reset link (used, expired, unknown, or of a disabled account), with the server's message and what to do instead. */
const InvalidLink = ({ message, canAskAgain }: { message: string; canAskAgain: boolean }) => (
  <>
    <Title>Reset Password</Title>
    <p style={{ margin: '-8px 0 24px', fontSize: 13, lineHeight: '20px' }}>{message}</p>
    <Link component={RouterLink} to={canAskAgain ? `/login${forgotHash}` : '/login'} sx={{ fontWeight: 600 }}>
      {canAskAgain ? 'Forgot Password' : 'Back to login'}
    </Link>
  </>
)
