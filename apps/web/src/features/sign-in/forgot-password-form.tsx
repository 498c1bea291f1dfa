import { zodResolver } from '@hookform/resolvers/zod'
import { loginInput } from '@lis/contract/session.ts'
import { useForm } from 'react-hook-form'
import { TextField } from '../../ui/text-field.tsx'
import { SignInScreen, StateLink, SubmitButton } from './sign-in-parts.tsx'

const forgotInput = loginInput.pick({ userName: true })

interface ForgotPasswordFormProps {
  userName: string
  isBusy: boolean
  onSubmit: (userName: string) => void
  onBack: () => void
}

export const ForgotPasswordForm = ({ userName, isBusy, onSubmit, onBack }: ForgotPasswordFormProps) => {
  const form = useForm({ resolver: zodResolver(forgotInput), defaultValues: { userName } })
  return (
    <SignInScreen title="Forgot Password" onSubmit={form.handleSubmit((values) => onSubmit(values.userName))}>
      <TextField
        {...form.register('userName')}
        label="Username"
        error={form.formState.errors.userName?.message}
        large
        autoComplete="username"
        autoFocus
        slotProps={{ input: { autoCapitalize: 'none', spellCheck: false } }}
      />
      <SubmitButton isBusy={isBusy}>Reset</SubmitButton>
      <StateLink href="/login" onFollow={onBack}>
        Back to login
      </StateLink>
    </SignInScreen>
  )
}
