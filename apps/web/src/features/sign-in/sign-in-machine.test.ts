import { describe, expect, it } from 'vitest'
import { type Challenge, IdentityError } from '../../lib/identity.ts'
import { atLogin, isRefusal, type SignInEvent, type SignInState, signInReducer } from './sign-in-machine.ts'

const challenge = (name: Challenge['name']): Challenge => ({
  name,
  session: 's',
  userName: 'staff',
  destination: '+*42',
})
const challenged = (name: Challenge['name']): SignInEvent => ({
  type: 'challenged',
  challenge: challenge(name),
  password: 'p',
  at: 1,
})
const confirming = signInReducer(atLogin, challenged('SMS_MFA'))
const choosing = signInReducer(atLogin, challenged('NEW_PASSWORD_REQUIRED'))

describe('the sign-in', () => {
  it.each([
    ['SIGN-24', 'SMS_MFA', 'confirmSignIn'],
    ['SIGN-25', 'SOFTWARE_TOKEN_MFA', 'confirmSignIn'],
    ['SIGN-26', 'NEW_PASSWORD_REQUIRED', 'changeTemporaryPassword'],
  ] as const)('%s goes from %s to %s', (_, name, state) => {
    expect(signInReducer(atLogin, challenged(name)).name).toBe(state)
  })
  it('SIGN-32 returns to login after a wrong code, with the name kept', () => {
    expect(signInReducer(confirming, { type: 'refused' })).toEqual({ name: 'login', userName: 'staff' })
  })
  it('SIGN-33 goes to passwordExpired, SIGN-34 and from there back to login, with the name kept', () => {
    const expired = signInReducer(atLogin, { type: 'passwordExpired', accessToken: 'a', userName: 'staff' })
    expect(expired).toEqual({ name: 'passwordExpired', accessToken: 'a', userName: 'staff' })
    expect(signInReducer(expired, { type: 'passwordChanged' })).toEqual({ name: 'login', userName: 'staff' })
  })
  it('asks for the code after a new password', () => {
    expect(signInReducer(choosing, challenged('SMS_MFA')).name).toBe('confirmSignIn')
  })
  it('SIGN-05 takes the typed name to forgotPassword, SIGN-17 and back to login', () => {
    const forgotten = signInReducer(atLogin, { type: 'forgotten', userName: 'staff' })
    expect(forgotten).toEqual({ name: 'forgotPassword', userName: 'staff' })
    expect(signInReducer(forgotten, { type: 'backToLogin' })).toEqual({ name: 'login', userName: 'staff' })
  })
})

describe('a refusal', () => {
  const error = (name: string) => new IdentityError(name, 'no')
  it.each<[SignInState, string, boolean]>([
    [confirming, 'NotAuthorizedException', true],
    [confirming, 'CodeMismatchException', true],
    [confirming, 'ExpiredCodeException', true],
    [choosing, 'NotAuthorizedException', true],
    [choosing, 'InvalidPasswordException', false],
    [confirming, 'TooManyRequestsException', false],
    [atLogin, 'NotAuthorizedException', false],
  ])('in %o by %s ends the attempt: %s', (state, name, ends) => {
    expect(isRefusal(state, error(name))).toBe(ends)
  })
  it('is not a lost connection', () => {
    expect(isRefusal(confirming, new Error('Server Error1'))).toBe(false)
  })
})
