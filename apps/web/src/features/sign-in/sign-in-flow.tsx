import { CodeForm } from './code-form.tsx'
import { ForgotPasswordForm } from './forgot-password-form.tsx'
import { LoginForm } from './login-form.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { signInActions } from './sign-in-actions.ts'
import type { SignInState } from './sign-in-machine.ts'
import { useForgotAddress } from './use-forgot-address.ts'
import { useSignIn } from './use-sign-in.ts'

interface SignInFlowProps {
  initial: SignInState
  reason?: string | undefined
  /** It is the page itself, whose address may change; not a dialog over another page. */
  isOnPage?: boolean
}

/** The sign-in, one screen per state. Ends with a session in the store; the parent decides what follows. */
export const SignInFlow = ({ initial, reason, isOnPage = false }: SignInFlowProps) => {
  const { state, dispatch, run, isBusy } = useSignIn(initial)
  useForgotAddress(isOnPage, state, dispatch)
  const onBack = () => dispatch({ type: 'backToLogin' })
  switch (state.name) {
    case 'login':
      return (
        <LoginForm
          userName={state.userName}
          isBusy={isBusy}
          reason={reason}
          onSubmit={(userName, password) => run(() => signInActions.login(userName, password))}
          onForgot={(userName) => dispatch({ type: 'forgotten', userName })}
        />
      )
    case 'confirmSignIn':
      return (
        <CodeForm
          challenge={state.challenge}
          sentAt={state.sentAt}
          isBusy={isBusy}
          onSubmit={(code) => run(() => signInActions.confirm(state.challenge, code))}
          onResend={() => run(() => signInActions.login(state.challenge.userName, state.password))}
          onBack={onBack}
        />
      )
    case 'forgotPassword':
      return (
        <ForgotPasswordForm
          userName={state.userName}
          isBusy={isBusy}
          onSubmit={(userName) => run(() => signInActions.forgot(userName), { isFailureSilent: true })}
          onBack={onBack}
        />
      )
    case 'changeTemporaryPassword':
      return (
        <NewPasswordForm
          key="temporary"
          asksForCurrent={false}
          isBusy={isBusy}
          onSubmit={(password) => run(() => signInActions.choosePassword(state.challenge, password))}
          onBack={onBack}
        />
      )
    case 'passwordExpired':
      return (
        <NewPasswordForm
          key="expired"
          asksForCurrent
          isBusy={isBusy}
          onSubmit={(password, current) => run(() => signInActions.changeExpired(state.accessToken, current, password))}
          onBack={onBack}
        />
      )
  }
}
