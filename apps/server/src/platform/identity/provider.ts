import type { Origin } from './origin.ts'

/** Who a person is, proven by the user pool. */
export interface VerifiedIdentity {
  sub: string
  userName: string
  /** One sign-in with all its refreshes. */
  origin: string
  authTime: Date
}

export interface NewIdentity {
  userId: number
  userName: string
  temporaryPassword: string
  temporaryDays: number
}

/**
 * The user pool as the server uses it. Two implementations: the embedded pool and a Cognito pool through the official client. The
 * browser speaks the pool's own protocol in both, at `publicSettings.endpoint`.
 */
export interface IdentityProvider {
  publicSettings: { endpoint: string; clientId: string; region: string }
  verifyAccessToken: (token: string) => Promise<VerifiedIdentity>
  /** An access token for an account that needs no second factor (service accounts); null for everybody else. */
  signInDirectly: (userName: string, password: string, origin: Origin) => Promise<string | null>
  createUser: (identity: NewIdentity) => Promise<{ sub: string }>
  setPassword: (userName: string, password: string, permanent: boolean) => Promise<void>
  enableUser: (userName: string) => Promise<void>
  disableUser: (userName: string) => Promise<void>
  deleteUser: (userName: string) => Promise<void>
  forgotPassword: (userName: string) => Promise<void>
  confirmForgotPassword: (userName: string, code: string, newPassword: string) => Promise<void>
  changePassword: (accessToken: string, current: string, next: string) => Promise<void>
  /** Ends every refresh token of the person. */
  signOutEverywhere: (userName: string) => Promise<void>
  /** Ends one sign-in. */
  revoke: (origin: string) => Promise<void>
  /** When the password was last set; null when the pool does not tell. */
  passwordSetAt: (userName: string) => Promise<Date | null>
}

/** Errors carry the names of the pool's protocol, so that every client library maps them. */
export type IdentityErrorName =
  | 'NotAuthorizedException'
  | 'UserNotFoundException'
  | 'UsernameExistsException'
  | 'CodeMismatchException'
  | 'ExpiredCodeException'
  | 'InvalidPasswordException'
  | 'PasswordHistoryPolicyViolationException'
  | 'InvalidParameterException'
  | 'TooManyRequestsException'
  | 'LimitExceededException'
  | 'EnableSoftwareTokenMFAException'
  | 'UnknownOperationException'

export class IdentityError extends Error {
  override readonly name: IdentityErrorName
  constructor(name: IdentityErrorName, message: string) {
    super(message)
    this.name = name
  }
}
