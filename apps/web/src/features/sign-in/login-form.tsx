import { zodResolver } from '@hookform/resolvers/zod'
import { loginInput } from '@lis/contract/session.ts'
import { useForm } from 'react-hook-form'
import { Banner } from '../../ui/form/banner.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SignInScreen, StateLink, SubmitButton } from './sign-in-parts.tsx'
import { forgotHash } from './use-forgot-address.ts'

interface LoginFormProps {
  userName: string
  isBusy: boolean
  /** Why a user who was signed in sees the login again. */
  reason?: string | undefined
  /** Resolves to whether name and password were refused. */
  onSubmit: (userName: string, password: string) => Promise<boolean>
  onForgot: (userName: string) => void
}

export const LoginForm = ({ userName, isBusy, reason, onSubmit, onForgot }: LoginFormProps) => {
  const form = useForm({ resolver: zodResolver(loginInput), defaultValues: { userName, pwd: '' } })
  const { errors } = form.formState
  const submit = form.handleSubmit(async (values) => {
    if (!(await onSubmit(values.userName, values.pwd))) return
    form.resetField('pwd')
    form.setFocus('pwd')
  })
  return (
    <SignInScreen title="LIS Login" onSubmit={submit}>
      {reason && <Banner type="warning">{reason}</Banner>}
      <TextField
        {...form.register('userName')}
        label="Username"
        error={errors.userName?.message}
        large
        autoComplete="username"
        autoFocus={userName === ''}
        slotProps={{ input: { autoCapitalize: 'none', spellCheck: false } }}
      />
      <PasswordField
        {...form.register('pwd')}
        label="Password"
        error={errors.pwd?.message}
        large
        autoComplete="current-password"
        autoFocus={userName !== ''}
      />
      <SubmitButton isBusy={isBusy}>Login</SubmitButton>
      <StateLink href={forgotHash} onFollow={() => onForgot(form.getValues('userName').trim())}>
        Forgot Password
      </StateLink>
    </SignInScreen>
  )
}
