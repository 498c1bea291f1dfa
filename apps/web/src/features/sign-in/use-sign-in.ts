import { messages } from '@lis/contract/messages.ts'
import { useReducer, useState } from 'react'
import { IdentityError } from '../../lib/identity.ts'
import { sessionStore } from '../../lib/session.ts'
import { useNotify } from '../../ui/notices.tsx'
import type { SignInResult } from './sign-in-actions.ts'
import { isRefusal, type SignInState, signInReducer } from './sign-in-machine.ts'

/** Runs the sign-in: one action at a time, updates the state, and shows the server's messages. */
export const useSignIn = (initial: SignInState) => {
  const [state, dispatch] = useReducer(signInReducer, initial)
  const [isBusy, setBusy] = useState(false)
  const notify = useNotify()

  /** Returns whether the input was refused; a lost connection is no reason to type it again. */
  const run = async (action: () => Promise<SignInResult>, { isFailureSilent = false } = {}): Promise<boolean> => {
    // Enter submits the form too.
    if (isBusy) return false
    setBusy(true)
    try {
      const outcome = await action()
      // Close errors of earlier attempts.
      notify.dismissAll()
      if ('session' in outcome) {
        notify.info(messages.loggedIn)
        sessionStore.set(outcome.session)
        return false
      }
      if (outcome.message) notify.info(outcome.message)
      dispatch(outcome.event)
      return false
    } catch (error) {
      if (isRefusal(state, error)) dispatch({ type: 'refused' })
      if (!isFailureSilent) notify.error(error instanceof Error ? error.message : undefined)
      return error instanceof IdentityError
    } finally {
      setBusy(false)
    }
  }
  return { state, dispatch, run, isBusy }
}
