import { type Challenge, IdentityError } from '../../lib/identity.ts'

/** The state of a sign-in. Each state is one screen and holds its data. */
export type SignInState =
  | { name: 'login'; userName: string }
  /** The password is kept, in memory only, because the pool requires it to send a new code. */
  | { name: 'confirmSignIn'; challenge: Challenge; password: string; sentAt: number }
  | { name: 'changeTemporaryPassword'; challenge: Challenge }
  | { name: 'forgotPassword'; userName: string }
  | { name: 'passwordExpired'; accessToken: string; userName: string }

export type SignInEvent =
  | { type: 'challenged'; challenge: Challenge; password: string; at: number }
  | { type: 'passwordExpired'; accessToken: string; userName: string }
  | { type: 'forgotten'; userName: string }
  /** The code or the temporary password was finally refused. */
  | { type: 'refused' }
  /** The password reset link has been sent. */
  | { type: 'resetSent' }
  | { type: 'passwordChanged' }
  | { type: 'backToLogin' }

export const atLogin: SignInState = { name: 'login', userName: '' }

/** The state transitions of a sign-in, without side effects. */
export const signInReducer = (state: SignInState, event: SignInEvent): SignInState => {
  switch (event.type) {
    case 'challenged': {
      const { challenge, password, at } = event
      return challenge.name === 'NEW_PASSWORD_REQUIRED'
        ? { name: 'changeTemporaryPassword', challenge }
        : { name: 'confirmSignIn', challenge, password, sentAt: at }
    }
    case 'passwordExpired':
      return { name: 'passwordExpired', accessToken: event.accessToken, userName: event.userName }
    case 'forgotten':
      return { name: 'forgotPassword', userName: event.userName }
    case 'refused':
    case 'resetSent':
    case 'passwordChanged':
    case 'backToLogin':
      return { name: 'login', userName: userNameOf(state) }
  }
}

/** The typed user name is kept between screens. */
const userNameOf = (state: SignInState): string => {
  if ('challenge' in state) return state.challenge.userName
  return 'userName' in state ? state.userName : ''
}

const endOfChallenge = ['NotAuthorizedException', 'CodeMismatchException', 'ExpiredCodeException']

/** A wrong code ends the attempt; other failures (no network, too many attempts) keep the state. */
export const isRefusal = (state: SignInState, error: unknown): boolean =>
  'challenge' in state && error instanceof IdentityError && endOfChallenge.includes(error.name)
