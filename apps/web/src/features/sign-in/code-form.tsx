import { zodResolver } from '@hookform/resolvers/zod'
import { mfaCode } from '@lis/contract/validation.ts'
import Link from '@mui/material/Link'
import { useEffect, useState } from 'react'
import { Controller, useForm } from 'react-hook-form'
import { z } from 'zod'
import type { Challenge } from '../../lib/identity.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { FootRow, SignInScreen, StateLink, SubmitButton } from './sign-in-parts.tsx'

const codeInput = z.object({ code: mfaCode })
const resendAfterMs = 30_000

const texts = {
  SMS_MFA: 'An authentication code has been sent to your phone. Please enter the code below.',
  SOFTWARE_TOKEN_MFA: 'Please enter the code of your authenticator app below.',
  NEW_PASSWORD_REQUIRED: '',
}

interface CodeFormProps {
  title?: string
  challenge: Challenge
  sentAt: number
  isBusy: boolean
  onSubmit: (code: string) => void
  onResend: () => void
  onBack: () => void
}

export const CodeForm = ({
  title = 'LIS Login',
  challenge,
  sentAt,
  isBusy,
  onSubmit,
  onResend,
  onBack,
}: CodeFormProps) => {
  const form = useForm({ resolver: zodResolver(codeInput), defaultValues: { code: '' } })
  const isBySms = challenge.name === 'SMS_MFA'
  const ending = challenge.destination?.slice(-2)
  const hint = isBySms && ending ? `Sent to the phone ending in ${ending}. Valid for 3 minutes.` : undefined
  const resend = () => {
    form.reset()
    form.setFocus('code')
    onResend()
  }
  return (
    <SignInScreen
      title={title}
      explanation={texts[challenge.name]}
      onSubmit={form.handleSubmit(({ code }) => onSubmit(code))}
    >
      <Controller
        control={form.control}
        name="code"
        render={({ field: { ref, value, onChange }, fieldState: { error } }) => (
          <CodeInput
            label="Authentication code"
            ref={ref}
            value={value}
            onChange={onChange}
            error={error?.message}
            hint={hint}
            autoFocus
          />
        )}
      />
      <SubmitButton isBusy={isBusy}>Authenticate</SubmitButton>
      <FootRow>
        <StateLink href="/login" onFollow={onBack}>
          Back to login
        </StateLink>
        {isBySms && <Resend key={sentAt} from={sentAt + resendAfterMs} onResend={resend} />}
      </FootRow>
    </SignInScreen>
  )
}

const Resend = ({ from, onResend }: { from: number; onResend: () => void }) => {
  const seconds = useSecondsUntil(from)
  if (seconds > 0)
    return <span style={{ color: 'var(--text-3)' }}>Resend code in 0:{String(seconds).padStart(2, '0')}</span>
  return (
    <Link component="button" type="button" variant="inherit" sx={{ fontWeight: 600 }} onClick={onResend}>
      Resend code
    </Link>
  )
}

const secondsUntil = (time: number) => Math.max(0, Math.ceil((time - Date.now()) / 1000))

/** Seconds until a time, counted down to 0. */
const useSecondsUntil = (time: number): number => {
  const [seconds, setSeconds] = useState(() => secondsUntil(time))
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsUntil(time)), 250)
    return () => clearInterval(timer)
  }, [time])
  return seconds
}
