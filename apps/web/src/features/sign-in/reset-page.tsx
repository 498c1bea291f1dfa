import { type confirmPasswordInput, sessionRoutes } from '@lis/contract/session.ts'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { z } from 'zod'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import type { Challenge } from '../../lib/identity.ts'
import { useNotify } from '../../ui/notices.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { CodeForm } from './code-form.tsx'
import { DeadLink } from './dead-link.tsx'
import { ResetForm } from './reset-form.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

type Reset = Pick<z.input<typeof confirmPasswordInput>, 'userName' | 'newPwd'>

/** Where a person stands: choosing the password, proving who they are, or with a link that is good for nothing. */
type Step =
  | { name: 'password' }
  | { name: 'code'; reset: Reset; challenge: Challenge; sentAt: number }
  | { name: 'dead'; message: string; canAskAgain: boolean }

/** The page behind the link of a reset mail: a new password, then the code of the second factor. */
export const ResetPage = () => {
  useDocumentTitle('Reset Password')
  const { token = '' } = useParams()
  const navigate = useNavigate()
  const notify = useNotify()
  const [step, setStep] = useState<Step>({ name: 'password' })
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Record<string, string>>({})

  const run = async (work: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setRefused({})
    try {
      await work()
    } catch (error) {
      notify.error(error instanceof Error ? error.message : undefined)
      if (!(error instanceof ApiError)) return
      const { message } = error
      const canAskAgain = message.startsWith(deadLinkText)
      if (canAskAgain || message.startsWith(disabledText)) setStep({ name: 'dead', message, canAskAgain })
      else setRefused(Object.fromEntries(error.errors.map(({ field, message }) => [field, message])))
    } finally {
      setBusy(false)
    }
  }
  const begin = (reset: Reset) =>
    run(async () => {
      const { data, message } = await call(sessionRoutes.confirmPassword, { body: { ...reset, token } })
      const name = data?.challengeName === 'SOFTWARE_TOKEN_MFA' ? 'SOFTWARE_TOKEN_MFA' : 'SMS_MFA'
      if (name === 'SMS_MFA') notify.info(message)
      const challenge = { name, session: '', userName: reset.userName, destination: undefined } as const
      setStep({ name: 'code', reset, challenge, sentAt: Date.now() })
    })
  const finish = (reset: Reset, verificationCode: string) =>
    run(async () => {
      const { message } = await call(sessionRoutes.confirmPassword, { body: { ...reset, token, verificationCode } })
      notify.info(message)
      navigate('/login', { replace: true })
    })

  return (
    <SignInFrame>
      {step.name === 'dead' && <DeadLink message={step.message} canAskAgain={step.canAskAgain} />}
      {step.name === 'password' && <ResetForm isBusy={isBusy} refused={refused} onSubmit={begin} />}
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

// The server complains about the code's field for all of them; only the words tell these from a wrong code.
const deadLinkText = 'This link is no longer valid'
const disabledText = 'This account is disabled'
