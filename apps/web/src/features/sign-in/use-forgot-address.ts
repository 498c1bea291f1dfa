import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { SignInEvent, SignInState } from './sign-in-machine.ts'

export const forgotHash = '#forgot-password'

/** Gives 'Forgot Password' its own address on the login page, so that Back returns to the login. */
export const useForgotAddress = (isOnPage: boolean, state: SignInState, dispatch: (event: SignInEvent) => void) => {
  const { hash, state: from } = useLocation()
  const navigate = useNavigate()
  const isForgot = state.name === 'forgotPassword'
  const userName = 'userName' in state ? state.userName : ''
  const last = useRef({ hash, isForgot })
  useEffect(() => {
    const before = last.current
    last.current = { hash, isForgot }
    if (!isOnPage || isForgot === (hash === forgotHash)) return
    // If the screen has changed, the address follows; after back or forward, the screen follows.
    if (isForgot !== before.isForgot)
      navigate({ hash: isForgot ? forgotHash : '' }, { replace: !isForgot, state: from })
    else if (hash !== before.hash) dispatch(isForgot ? { type: 'backToLogin' } : { type: 'forgotten', userName })
  }, [isOnPage, isForgot, hash, from, userName, navigate, dispatch])
}
