import { type ErrorBody, type ErrorCode, errorStatus, type FieldError } from '@lis/contract/kit/errors.ts'
import type { z } from 'zod'
import { fieldOf } from './validation-messages.ts'

/** The one error that services throw. Anything else that escapes is a fault of ours and answers 500 without details. */
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
 * Something outside that gave no answer; its message is for the user. No AppError: a job that meets it has not been refused, and is to
 * try again.
 */
export class Unreachable extends Error {}

export const notFound = (what: string) => new AppError('notFound', `${what} not found`)
export const forbidden = (message = 'You are not allowed to do this') => new AppError('forbidden', message)
export const conflict = (message: string, current?: unknown) => new AppError('conflict', message, { current })
export const invalid = (field: string, message: string) =>
  new AppError('invalid', message, { errors: [{ field, message }] })
export const invalidFields = (errors: FieldError[]) =>
  new AppError('invalid', errors.map((error) => error.message).join('; '), { errors })

/** A value of the wrong shape, as a parse with `plainly` tells it: each complaint with its field. */
export const invalidInput = (error: z.ZodError): AppError =>
  invalidFields(
    error.issues.map((issue) => ({
      field: issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : fieldOf(issue),
      message: issue.message,
    })),
  )
