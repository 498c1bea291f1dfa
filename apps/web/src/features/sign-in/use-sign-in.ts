import { messages } from '@lis/contract/messages.ts'
import { useReducer, useState } from 'react'
import { IdentityError } from '../../lib/identity.ts'
import { sessionStore } from '../../lib/session.ts'
import { useNotify } from '../../ui/notices.tsx'
import type { Outcome } from './sign-in-actions.ts'
import { isRefusal, type SignInState, signInReducer } from './sign-in-machine.ts'

/** Drives the sign-in: runs one action at a time, moves the state on, and tells what the server said. */
export const useSignIn = (initial: SignInState) => {
  const [state, dispatch] = useReducer(signInReducer, initial)
  const [isBusy, setBusy] = useState(false)
  const notify = useNotify()

  /** Tells whether what was typed was refused; a lost connection is no reason to type it again. */
  const run = async (action: () => Promise<Outcome>, { isFailureSilent = false } = {}): Promise<boolean> => {
    // Enter sends a form as well as its button does.
    if (isBusy) return false
    setBusy(true)
    try {
      const outcome = await action()
      // What was said against an earlier try does not stand beside the success of this one.
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
