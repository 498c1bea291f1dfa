/** Every error code with its HTTP status; error bodies carry the code. */
export const errorStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  /** The call is made by an administrator who views as somebody else and may change nothing. */
  view_only: 403,
  notFound: 404,
  methodNotAllowed: 405,
  /** The session is over (idle or absolute limit): sign in again. */
  sessionEnded: 408,
  conflict: 409,
  /** The user has to decide first: `current.questions`. The same call with `answers` proceeds. */
  question: 409,
  /** Too many wrong passwords or codes: the account is locked for a while. */
  locked: 423,
  preconditionRequired: 428,
  tooLarge: 413,
  unsupportedMediaType: 415,
  /** The session token has expired while the session is still valid: refresh it. */
  tokenExpired: 420,
  tooManyRequests: 429,
  /** The password is older than allowed: change it first. */
  passwordExpired: 490,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** One error of one field, as the user sees it. */
export interface FieldError {
  field: string
  message: string
}

/** The body of every failed call. */
export interface ErrorBody {
  code: ErrorCode
  message: string
  errors?: FieldError[]
  requestId?: string
  /** On 409: the current record if someone else has changed it, or the questions to answer first. */
  current?: unknown
}
