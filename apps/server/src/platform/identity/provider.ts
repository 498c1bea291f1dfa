import type { Db } from '../db/db.ts'
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
}

/**
 * The user pool as the server uses it. Two implementations: the embedded pool and a Cognito pool through the official client. The
 * browser speaks the pool's own protocol in both, at `publicSettings.endpoint`. Calls that change an account take the handle of the
 * caller's transaction: the embedded pool keeps its rows in the same database, so that both change together or not at all.
 */
export interface IdentityProvider {
  publicSettings: { endpoint: string; clientId: string; region: string }
  verifyAccessToken: (token: string) => Promise<VerifiedIdentity>
  /** An access token for an account that needs no second factor (service accounts); null for everybody else. */
  signInDirectly: (userName: string, password: string, origin: Origin) => Promise<string | null>
  createUser: (db: Db, identity: NewIdentity) => Promise<{ sub: string }>
  setPassword: (db: Db, userName: string, password: string, permanent: boolean) => Promise<void>
  /** Codes and reset mails go to these from now on. */
  updateContact: (db: Db, userName: string, contact: { email: string; phone: string }) => Promise<void>
  enableUser: (db: Db, userName: string) => Promise<void>
  disableUser: (db: Db, userName: string) => Promise<void>
  deleteUser: (db: Db, userName: string) => Promise<void>
  /** Lets somebody sign in again who was deleted; `isNew` when the account had to be made anew, with the temporary password. */
  restoreUser: (db: Db, identity: NewIdentity) => Promise<{ isNew: boolean }>
  /** Forgets the wrong passwords and codes that keep the person out. */
  forgetAttempts: (db: Db, userName: string) => Promise<void>
  /** Codes go to the person's phone again; an authenticator app set up before no longer counts. */
  sendCodesBySms: (db: Db, userName: string) => Promise<void>
  /** Ends every sign-in of the person. */
  signOutEverywhere: (db: Db, userName: string) => Promise<void>
  /** Ends one sign-in. */
  revoke: (db: Db, origin: string) => Promise<void>
  /** When the password was last set; null when the pool does not tell. */
  passwordSetAt: (db: Db, userName: string) => Promise<Date | null>
  /**
   * Sends the link to the reset page; says nothing about whether the name exists. `asker` is where the person asks from; null when
   * somebody who manages users sends it, which the caller records.
   */
  sendResetLink: (userName: string, asker: Origin | null) => Promise<void>
  /** Refuses a link that is used, has run out, was never one, or belongs to a disabled account. */
  checkResetLink: (token: string) => Promise<void>
  /** First half of the reset page: the link is good, the password fits, a code is on its way. Nothing has changed yet. */
  beginReset: (reset: ResetRequest, origin: Origin) => Promise<{ challengeName: string }>
  /** Second half: the code is right, the password is set, every sign-in of the account has ended. */
  finishReset: (reset: ResetRequest & { code: string }, origin: Origin) => Promise<void>
  /** The pool's own reset by a code that it sent. */
  confirmForgotPassword: (userName: string, code: string, newPassword: string, origin: Origin) => Promise<void>
  changePassword: (accessToken: string, current: string, next: string, origin: Origin) => Promise<void>
}

export interface ResetRequest {
  userName: string
  /** From the address of the reset page. */
  token: string
  newPassword: string
}

/** Errors carry the names of the pool's protocol, so that every client library maps them; the last two are ours and never go out by it. */
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
  /** A good reset link, and the name of somebody else. */
  | 'ForeignLinkException'
  /** Invited and never signed in: there is no password of their own to reset. */
  | 'OnlyInvitedException'

export class IdentityError extends Error {
  override readonly name: IdentityErrorName
  constructor(name: IdentityErrorName, message: string) {
    super(message)
    this.name = name
  }
}

/** Too many wrong passwords or codes. The protocol has no other name for it than for a refused token; who is signed in is not refused. */
export class LockedOut extends IdentityError {
  constructor() {
    super('NotAuthorizedException', 'Too many failed attempts. Please try again in 15 minutes.')
  }
}
