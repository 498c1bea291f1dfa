import type { ErrorBody, ErrorCode, FieldError } from '@lis/contract/kit/errors.ts'
import { messages } from '@lis/contract/messages.ts'

interface Details {
  status?: number
  code?: ErrorCode
  errors?: FieldError[]
  current?: unknown
  requestId?: string
  isCancelled?: boolean
  cause?: unknown
}

/** A call that failed or got no answer. Prints as 'Error: {message}'. */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly errors: readonly FieldError[]
  /** On a conflict: what the other user saved. */
  readonly current: unknown
  readonly requestId: string | undefined
  /** Cancelled by us; not shown to the user. */
  readonly isCancelled: boolean
  /** The call: 'PUT /clients/7'. */
  call?: string

  constructor(message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.status = details.status ?? 500
    this.code = details.code
    this.errors = details.errors ?? []
    this.current = details.current
    this.requestId = details.requestId
    this.isCancelled = details.isCancelled ?? false
  }
}

/** The error for a response, whatever its body contains. */
export const responseError = (status: number, body: unknown): ApiError => {
  const { message, ...rest } = (typeof body === 'object' && body !== null ? body : {}) as Partial<ErrorBody>
  const text = typeof message === 'string' && message !== '' ? message : messages.responseWithoutMessage
  return new ApiError(text, { ...rest, status })
}

/** The same error with the field names of a form that splits or renames fields. */
export const renameErrorFields = (error: unknown, names: Record<string, string>): unknown => {
  if (!(error instanceof ApiError) || error.errors.length === 0) return error
  const errors = error.errors.map(({ field, message }) => ({ field: names[field] ?? field, message }))
  return new ApiError(error.message, { status: error.status, errors, current: error.current, cause: error })
}

/** The record does not exist, is deleted, or is outside the user's scope. */
export const isNotFound = (error: unknown) => error instanceof ApiError && error.status === 404

export const noResponseError = (cause: unknown) => new ApiError(messages.noResponse, { cause })

export const cancelledError = (reason: unknown) =>
  new ApiError(reason instanceof Error ? reason.message : String(reason ?? 'canceled'), { isCancelled: true })
