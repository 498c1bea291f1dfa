import { type Challenge, IdentityError } from '../../lib/identity.ts'

/** Where a person stands in the sign-in. Each state is one screen and holds what that screen needs. */
export type SignInState =
  | { name: 'login'; userName: string }
  /** The password stays at hand, in memory only, because the pool sends a new code for nothing less. */
  | { name: 'confirmSignIn'; challenge: Challenge; password: string; sentAt: number }
  | { name: 'changeTemporaryPassword'; challenge: Challenge }
  | { name: 'forgotPassword'; userName: string }
  | { name: 'passwordExpired'; accessToken: string; userName: string }

export type SignInEvent =
  | { type: 'challenged'; challenge: Challenge; password: string; at: number }
  | { type: 'passwordExpired'; accessToken: string; userName: string }
  | { type: 'forgotten'; userName: string }
  /** The code or the temporary password was refused for good. */
  | { type: 'refused' }
  /** The link to reset the password is on its way. */
  | { type: 'resetSent' }
  | { type: 'passwordChanged' }
  | { type: 'backToLogin' }

export const atLogin: SignInState = { name: 'login', userName: '' }

/** The whole course of a sign-in, without anything that takes time. */
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

/** Nobody types a name twice. */
const userNameOf = (state: SignInState): string => {
  if ('challenge' in state) return state.challenge.userName
  return 'userName' in state ? state.userName : ''
}

const endOfChallenge = ['NotAuthorizedException', 'CodeMismatchException', 'ExpiredCodeException']

/** A wrong code ends the attempt; what went wrong on the way (no network, too many tries) leaves the person where they are. */
export const isRefusal = (state: SignInState, error: unknown): boolean =>
  'challenge' in state && error instanceof IdentityError && endOfChallenge.includes(error.name)
