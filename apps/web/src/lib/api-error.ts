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

/** A call that gave no answer, or answered with a failure. Prints as 'Error: {message}'. */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly errors: readonly FieldError[]
  /** What the other person saved, on a conflict. */
  readonly current: unknown
  readonly requestId: string | undefined
  /** Cancelled by us, so nobody needs to hear of it. */
  readonly isCancelled: boolean
  /** What was called: 'PUT /clients/7'. */
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

/** The failure that a response tells of, whatever its body looks like. */
export const failedResponse = (status: number, body: unknown): ApiError => {
  const { message, ...rest } = (typeof body === 'object' && body !== null ? body : {}) as Partial<ErrorBody>
  const text = typeof message === 'string' && message !== '' ? message : messages.responseWithoutMessage
  return new ApiError(text, { ...rest, status })
}

/** The same failure for a form that has some fields in parts, or by another name: the complaint is to stand under one of them. */
export const underFields = (error: unknown, names: Record<string, string>): unknown => {
  if (!(error instanceof ApiError) || error.errors.length === 0) return error
  const errors = error.errors.map(({ field, message }) => ({ field: names[field] ?? field, message }))
  return new ApiError(error.message, { status: error.status, errors, current: error.current, cause: error })
}

/** The server has nothing at this address for this reader: deleted, never there, or not in the reader's scope. */
export const isGone = (error: unknown) => error instanceof ApiError && error.status === 404

export const noResponse = (cause: unknown) => new ApiError(messages.noResponse, { cause })

export const cancelled = (reason: unknown) =>
  new ApiError(reason instanceof Error ? reason.message : String(reason ?? 'canceled'), { isCancelled: true })
