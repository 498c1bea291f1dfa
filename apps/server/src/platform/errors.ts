import { type ErrorBody, type ErrorCode, errorStatus, type FieldError } from '@lis/contract/kit/errors.ts'
import type { z } from 'zod'
import { fieldOf } from './validation-messages.ts'

/** When a caller who got 503 may try again. */
export const retryAfterSeconds = 5

/** The error that services throw. Any other error is a bug and becomes a 500 without details. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly errors: FieldError[] | undefined
  readonly current: unknown

  constructor(
    code: ErrorCode,
    message: string,
    extra: { errors?: FieldError[]; current?: unknown; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause })
    this.code = code
    this.errors = extra.errors
    this.current = extra.current
  }

  get status(): number {
    return errorStatus[this.code]
  }

  body(requestId: string): ErrorBody {
    const { code, message, errors, current } = this
    return { code, message, ...(errors && { errors }), ...(current !== undefined && { current }), requestId }
  }
}

/**
 * An external service did not answer; the message is for the user. Not an AppError, because a job that meets it is retried.
 */
export class Unreachable extends Error {}

export const notFound = (what: string) => new AppError('notFound', `${what} not found`)
export const forbidden = (message = 'You are not allowed to do this') => new AppError('forbidden', message)
export const conflict = (message: string, current?: unknown) => new AppError('conflict', message, { current })
export const invalid = (field: string, message: string) =>
  new AppError('invalid', message, { errors: [{ field, message }] })
export const invalidFields = (given: FieldError[]) => {
  const errors = [...new Map(given.map((error) => [`${error.field}\n${error.message}`, error])).values()]
  return new AppError('invalid', [...new Set(errors.map(({ message }) => message))].join('; '), { errors })
}

/** The issues of a parse with `validationMessages`, each with its field. */
export const invalidInput = (error: z.ZodError): AppError =>
  invalidFields(
    error.issues.map((issue) => ({
      field: issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : fieldOf(issue),
      message: issue.message,
    })),
  )
