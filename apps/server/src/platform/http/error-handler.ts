import { type ErrorCode, errorStatus } from '@lis/contract/kit/errors.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { outageMessage } from '../db/outage.ts'
import { AppError, retryAfterSeconds, Unreachable } from '../errors.ts'
import { IdentityError } from '../identity/provider.ts'

/** Errors of Fastify itself. */
const fastifyErrors: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupportedMediaType', 'The body must be JSON (Content-Type: application/json)'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['tooLarge', 'The body is too large'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid', 'The body is empty, but its type is JSON'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid', 'The body is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid', 'The length of the body does not match its Content-Length'],
  FST_ERR_BAD_URL: ['invalid', 'The address is not valid'],
}

/** A field with the label that users see. */
export interface FieldLabel {
  field: string
  label: string
}

/** A constraint violation that no service has handled is still an error of the caller, not a 500. */
const databaseErrors: Record<string, [ErrorCode, string]> = {
  '23503': ['conflict', 'The record refers to another one that does not exist, or is still in use'],
  '23514': ['invalid', 'A value is outside what is allowed'],
  '22P02': ['invalid', 'A value has the wrong form'],
  '22007': ['invalid', 'A date or time has the wrong form'],
  '22008': ['invalid', 'A date or time is outside what is allowed'],
  '22003': ['invalid', 'A number is too large'],
  '22021': ['invalid', 'A text holds characters that cannot be stored'],
  '22P05': ['invalid', 'A text holds characters that cannot be stored'],
  '57014': ['unavailable', 'The query took too long and was cancelled'],
  '53100': ['unavailable', 'The database has no room left on its disk, please try again later'],
}

/**
 * Errors of the user pool that no service has handled. Never 401: the caller's own session is valid. Errors that are not listed (rejected
 * credentials, a missing pool) are internal errors.
 */
const poolCodes: Record<string, ErrorCode> = {
  LimitExceededException: 'tooManyRequests',
  TooManyRequestsException: 'tooManyRequests',
  NotAuthorizedException: 'conflict',
  UserNotFoundException: 'conflict',
  UsernameExistsException: 'conflict',
  InvalidParameterException: 'conflict',
  InvalidPasswordException: 'conflict',
  PasswordHistoryPolicyViolationException: 'conflict',
}

interface UniqueViolation extends Error {
  constraint?: string
  detail?: string
}

/** Names the field, never its value: by its label, or by the column names. */
const uniqueViolationError = (error: UniqueViolation, labels: Record<string, FieldLabel>): AppError => {
  const known = labels[error.constraint ?? '']
  if (known) {
    const message = `${known.label} is already used`
    return new AppError('conflict', message, { errors: [{ field: known.field, message }], cause: error })
  }
  const [, columns = ''] = /^Key \((.+?)\)=\(/.exec(error.detail ?? '') ?? []
  const names = columns.split(', ').map((column) => column.replace(/^\w+\((.+)\)$/, '$1').replace(/::\w+|_id$/g, ''))
  const named = new Intl.ListFormat('en').format(names.map((name) => name.replaceAll('_', ' ')))
  return new AppError('conflict', `A record with the same ${named || 'values'} already exists`, { cause: error })
}

export const toAppError = (
  error: FastifyError | AppError | IdentityError,
  labels: Record<string, FieldLabel> = {},
): AppError => {
  if (error instanceof AppError) return error
  if (error instanceof IdentityError) {
    const code = poolCodes[error.name]
    return code ? new AppError(code, error.message, { cause: error }) : fault(error)
  }
  if (error instanceof Unreachable) return new AppError('unavailable', error.message, { cause: error })
  const code = error.code ?? ''
  if (code === '23505') return uniqueViolationError(error, labels)
  const known = fastifyErrors[code] ?? databaseErrors[code]
  if (known) return new AppError(known[0], known[1], { cause: error })
  if (error.statusCode === 429)
    return new AppError('tooManyRequests', 'Too many requests, please wait a moment', { cause: error })
  // Every connection of the pool was in use; the log says by what (`heldBy`).
  if (error.message.includes('timeout exceeded when trying to connect'))
    return new AppError('unavailable', 'The server is busy, please try again in a moment', { cause: error })
  const outage = outageMessage(error)
  if (outage) return new AppError('unavailable', outage, { cause: error })
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    const name = (Object.keys(errorStatus) as ErrorCode[]).find((key) => errorStatus[key] === error.statusCode)
    return new AppError(name ?? 'invalid', error.message, { cause: error })
  }
  return fault(error)
}

const fault = (cause: Error) =>
  new AppError('internal', 'Something went wrong on our side. It has been recorded.', { cause })

/** For a malformed URL: no route is found, and no hook has set the headers that every reply has. */
export const handleFrameworkError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
  reply.headers({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  void answerError(toAppError(error), request, reply)
}

const answerError = (error: AppError, request: FastifyRequest, reply: FastifyReply) =>
  reply
    .code(error.status)
    .headers(error.code === 'unavailable' ? { 'retry-after': retryAfterSeconds } : {})
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(error.body(request.id)))

/** Whether later calls will fail too: the disk of the database is full, or it is read-only. */
const isPersistent = ({ cause }: AppError) =>
  ['53100', '25006'].includes((cause as { code?: string } | null)?.code ?? '')

/** The caller has disconnected: nobody reads the reply, and it is not an error. */
export const isGone = (request: FastifyRequest, reply: FastifyReply) =>
  request.raw.readableAborted || reply.raw.destroyed

export interface ErrorHandling {
  sendPage: ((reply: FastifyReply) => unknown) | null
  apiPrefixes: readonly string[]
  /** By the name of the unique index. */
  uniqueConstraintLabels?: Record<string, FieldLabel>
  /** Called with an error that other calls will meet too. */
  onFault?: (message: string) => void
}

export const registerErrorHandlers = (
  app: FastifyInstance,
  { sendPage, apiPrefixes, uniqueConstraintLabels = {}, onFault = () => undefined }: ErrorHandling,
) => {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = toAppError(error, uniqueConstraintLabels)
    if (isPersistent(known)) onFault(known.message)
    if (isGone(request, reply)) request.log.info({ route: request.routeOptions.url }, 'caller hung up')
    else if (known.status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
    if (known.code === 'tooManyRequests') request.log.warn({ route: request.routeOptions.url }, 'rate limit')
    return answerError(known, request, reply)
  })
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] ?? '/'
    const isApi = apiPrefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
    const wantsPage =
      (request.method === 'GET' || request.method === 'HEAD') && !isApi && !/\.[a-z0-9]{2,5}$/i.test(path)
    if (sendPage && wantsPage) return sendPage(reply)
    return answerError(new AppError('notFound', 'There is nothing at this address'), request, reply)
  })
}
