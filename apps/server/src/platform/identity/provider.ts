import type { Db } from '../db/db.ts'
import type { Origin } from './origin.ts'

/** A user's identity as verified by the user pool. */
export interface VerifiedIdentity {
  sub: string
  userName: string
  /** Identifies one sign-in with all its refreshes. */
  origin: string
  authTime: Date
}

export interface NewIdentity {
  userId: number
  userName: string
  temporaryPassword: string
}

/**
 * The user pool as the server uses it. Two implementations: the embedded pool and a Cognito pool through the official client. The
 * browser speaks the pool's own protocol in both, at `publicSettings.endpoint`. Calls that change an account take the handle of the
 * caller's transaction: the embedded pool keeps its rows in the same database, so that both change together or not at all.
 */
export interface IdentityProvider {
  publicSettings: { endpoint: string; clientId: string; region: string }
  verifyAccessToken: (token: string) => Promise<VerifiedIdentity>
  /** An access token for an account that needs no second factor (service accounts); null for all others. */
  signInDirectly: (userName: string, password: string, origin: Origin) => Promise<string | null>
  createUser: (db: Db, identity: NewIdentity) => Promise<{ sub: string }>
  setPassword: (db: Db, userName: string, password: string, permanent: boolean) => Promise<void>
  /** Sets where codes and reset mails are sent. */
  updateContact: (db: Db, userName: string, contact: { email: string; phone: string }) => Promise<void>
  enableUser: (db: Db, userName: string) => Promise<void>
  disableUser: (db: Db, userName: string) => Promise<void>
  deleteUser: (db: Db, userName: string) => Promise<void>
  /** Lets a deleted user sign in again; `isNew` when the account had to be created again, with the temporary password. */
  restoreUser: (db: Db, identity: NewIdentity) => Promise<{ isNew: boolean }>
  /** Clears the failed attempts that lock the user out. */
  forgetAttempts: (db: Db, userName: string) => Promise<void>
  /** Sends codes by SMS again; the authenticator app is no longer used. */
  sendCodesBySms: (db: Db, userName: string) => Promise<void>
  /** Ends every sign-in of the user. */
  signOutEverywhere: (db: Db, userName: string) => Promise<void>
  /** Ends one sign-in. */
  revoke: (db: Db, origin: string) => Promise<void>
  /** When the password was last set; null when the pool does not say. */
  passwordSetAt: (db: Db, userName: string) => Promise<Date | null>
  /**
   * Sends the link to the reset page, and does not tell whether the name exists. `requestedFrom` is null when a manager sends it, which
   * the caller audits.
   */
  sendResetLink: (userName: string, requestedFrom: Origin | null) => Promise<void>
  /** Rejects a link that is used, expired or unknown, or that belongs to a disabled account. */
  checkResetLink: (token: string) => Promise<void>
  /** First step of the reset page: verifies the link and the password and sends a code. Nothing has changed yet. */
  beginReset: (reset: ResetRequest, origin: Origin) => Promise<{ challengeName: string }>
  /** Second step: verifies the code, sets the password and ends every sign-in of the account. */
  finishReset: (reset: ResetRequest & { code: string }, origin: Origin) => Promise<void>
  /** The pool's own reset, by a code that it has sent. */
  confirmForgotPassword: (userName: string, code: string, newPassword: string, origin: Origin) => Promise<void>
  /** What the user signs in with beside the password; OFF where there is nothing. */
  secondFactorOf: (db: Db, userName: string) => Promise<'SMS' | 'TOTP' | 'OFF'>
  /** Checks the password of a signed-in person once more; the caller counts wrong ones. */
  isPasswordRight: (userName: string, password: string) => Promise<boolean>
  /** Checks a code of the authenticator app once more; an external pool wants the password with it. */
  isAppCodeRight: (userName: string, password: string, code: string) => Promise<boolean>
  changePassword: (accessToken: string, current: string, next: string, origin: Origin) => Promise<void>
}

export interface ResetRequest {
  userName: string
  /** From the address of the reset page. */
  token: string
  newPassword: string
}

/** The error names of the pool's protocol, which every client library knows; the last two are ours and are never sent by it. */
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
  /** A valid reset link with the name of another user. */
  | 'ForeignLinkException'
  /** Invited but never signed in: there is no password to reset yet. */
  | 'OnlyInvitedException'

export class IdentityError extends Error {
  override readonly name: IdentityErrorName
  constructor(name: IdentityErrorName, message: string) {
    super(message)
    this.name = name
  }
}

/** Too many wrong passwords or codes. The protocol uses the same error name for an invalid token; signed-in users are not affected. */
export class LockedOut extends IdentityError {
  constructor() {
    super('NotAuthorizedException', 'Too many failed attempts. Please try again in 15 minutes.')
  }
}
