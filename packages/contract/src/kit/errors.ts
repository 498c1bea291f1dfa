/** Every way a call can fail, with its HTTP status. The envelope carries `code`, so both sides speak of the same thing. */
export const errorStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  /** The session is over (idle or absolute limit): sign in again. */
  sessionEnded: 408,
  conflict: 409,
  /** A person has to decide first: `current.questions`. The same call with `answers` goes on. */
  question: 409,
  preconditionRequired: 428,
  tooLarge: 413,
  unsupportedMediaType: 415,
  /** The session token has run out while the session lives: refresh it. */
  tokenExpired: 420,
  tooManyRequests: 429,
  /** The password is older than allowed: change it first. */
  passwordExpired: 490,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** One complaint about one field, in the words the user sees. */
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
  /** What the other person saved, when the record changed under the writer's hands; or the questions to answer first (409). */
  current?: unknown
}
