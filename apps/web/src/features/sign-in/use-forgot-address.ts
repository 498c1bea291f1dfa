import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { SignInEvent, SignInState } from './sign-in-machine.ts'

export const forgotHash = '#forgot-password'

/** Gives 'Forgot Password' an address of its own on the login page, so that the browser's Back leads to the login and not away. */
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
    // The screen has changed, and the address follows; or the person went back or forward, and the screen follows.
    if (isForgot !== before.isForgot)
      navigate({ hash: isForgot ? forgotHash : '' }, { replace: !isForgot, state: from })
    else if (hash !== before.hash) dispatch(isForgot ? { type: 'backToLogin' } : { type: 'forgotten', userName })
  }, [isOnPage, isForgot, hash, from, userName, navigate, dispatch])
}
