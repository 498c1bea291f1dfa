import { zodResolver } from '@hookform/resolvers/zod'
import { loginInput } from '@lis/contract/session.ts'
import { newPasswordFields } from '@lis/contract/validation.ts'
import { useForm } from 'react-hook-form'
import { Link } from 'react-router'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SignInScreen, SubmitButton } from './sign-in-parts.tsx'

const resetInput = loginInput.pick({ userName: true }).and(newPasswordFields)

interface ResetFormProps {
  isBusy: boolean
  /** The server's errors for the last attempt, by field. */
  serverErrors: Record<string, string>
  onSubmit: (reset: { userName: string; newPwd: string }) => void
}

export const ResetForm = ({ isBusy, serverErrors, onSubmit }: ResetFormProps) => {
  const form = useForm({
    resolver: zodResolver(resetInput),
    defaultValues: { userName: '', newPwd: '', confirmPwd: '' },
  })
  const { errors } = form.formState
  return (
    <SignInScreen
      title="Reset Password"
      onSubmit={form.handleSubmit(({ userName, newPwd }) => onSubmit({ userName, newPwd }))}
    >
      <TextField
        {...form.register('userName')}
        label="Username"
        error={errors.userName?.message ?? serverErrors.userName}
        large
        autoComplete="username"
        autoFocus
        slotProps={{ input: { autoCapitalize: 'none', spellCheck: false } }}
      />
      <PasswordField
        {...form.register('newPwd')}
        label="New password"
        error={errors.newPwd?.message ?? serverErrors.newPwd}
        hint="At least 16 characters, with a number, an uppercase and a lowercase letter and one of !@#$%^&*()~"
        large
        autoComplete="new-password"
      />
      <PasswordField
        {...form.register('confirmPwd')}
        label="Confirm password"
        error={errors.confirmPwd?.message}
        large
        autoComplete="new-password"
      />
      <SubmitButton isBusy={isBusy}>Reset</SubmitButton>
      <Link to="/login" style={{ fontWeight: 600, alignSelf: 'flex-start', textDecoration: 'none' }}>
        Back to login
      </Link>
    </SignInScreen>
  )
}
