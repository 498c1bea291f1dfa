import { zodResolver } from '@hookform/resolvers/zod'
import { currentPassword, newPasswordFields } from '@lis/contract/validation.ts'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { PasswordField } from '../../ui/password-field.tsx'
import { SignInScreen, StateLink, SubmitButton } from './sign-in-parts.tsx'

const withoutCurrent = z.object({ currentPwd: z.string() }).and(newPasswordFields)
const withCurrent = z.object({ currentPwd: currentPassword }).and(newPasswordFields)

interface NewPasswordFormProps {
  /** An expired password is asked for again; a temporary one has just been typed. */
  asksForCurrent: boolean
  isBusy: boolean
  onSubmit: (newPassword: string, currentPassword: string) => void
  onBack: () => void
}

export const NewPasswordForm = ({ asksForCurrent, isBusy, onSubmit, onBack }: NewPasswordFormProps) => {
  const form = useForm({
    resolver: zodResolver(asksForCurrent ? withCurrent : withoutCurrent),
    defaultValues: { currentPwd: '', newPwd: '', confirmPwd: '' },
  })
  const { errors } = form.formState
  return (
    <SignInScreen
      title="New password required."
      explanation={
        asksForCurrent ? 'Your password has expired. Please choose a new one, then sign in with it.' : undefined
      }
      onSubmit={form.handleSubmit(({ newPwd, currentPwd }) => onSubmit(newPwd, currentPwd))}
    >
      {asksForCurrent && (
        <PasswordField
          {...form.register('currentPwd')}
          label="Current password"
          error={errors.currentPwd?.message}
          large
          autoComplete="current-password"
          autoFocus
        />
      )}
      <PasswordField
        {...form.register('newPwd')}
        label="New password"
        error={errors.newPwd?.message}
        hint="At least 16 characters, with a number, an uppercase and a lowercase letter and one of !@#$%^&*()~"
        large
        autoComplete="new-password"
        autoFocus={!asksForCurrent}
      />
      <PasswordField
        {...form.register('confirmPwd')}
        label="Confirm password"
        error={errors.confirmPwd?.message}
        large
        autoComplete="new-password"
      />
      <SubmitButton isBusy={isBusy}>Login</SubmitButton>
      <StateLink href="/login" onFollow={onBack}>
        Back to login
      </StateLink>
    </SignInScreen>
  )
}
