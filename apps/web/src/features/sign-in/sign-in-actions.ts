import { sessionRoutes } from '@lis/contract/session.ts'
import { call, identity, openSession } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import type { Challenge, SignInStep } from '../../lib/identity.ts'
import type { StoredSession } from '../../lib/session-store.ts'
import type { SignInEvent } from './sign-in-machine.ts'

/** The result of an action: the next event, or the session at the end; some with a message from the server. */
export type SignInResult = { event: SignInEvent; message?: string } | { session: StoredSession }

const resultOf = async (step: SignInStep, userName: string, password: string): Promise<SignInResult> => {
  if ('challenge' in step) return { event: { type: 'challenged', challenge: step.challenge, password, at: Date.now() } }
  try {
    return { session: await openSession(step.tokens) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 490) throw error
    const { accessToken } = step.tokens
    return { event: { type: 'passwordExpired', accessToken, userName } }
  }
}

/** The asynchronous steps: each calls the user pool or the server and returns the next event. */
export const signInActions = {
  login: async (userName: string, password: string) =>
    resultOf(await identity.signIn(userName, password), userName, password),
  confirm: async (challenge: Challenge, code: string) =>
    resultOf(await identity.answer(challenge, code), challenge.userName, ''),
  choosePassword: async (challenge: Challenge, password: string) =>
    resultOf(await identity.answer(challenge, password), challenge.userName, password),
  forgot: async (username: string): Promise<SignInResult> => {
    const { message } = await call(sessionRoutes.forgotPassword, { params: { username } })
    return { event: { type: 'resetSent' }, message }
  },
  changeExpired: async (accessToken: string, currentPwd: string, newPwd: string): Promise<SignInResult> => {
    const { message } = await call(sessionRoutes.changeExpiredPassword, { body: { accessToken, currentPwd, newPwd } })
    return { event: { type: 'passwordChanged' }, message }
  },
}
