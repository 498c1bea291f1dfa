import type { OperationOutcomeIssue } from '@medplum/fhirtypes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { retryAfterSeconds } from '../../platform/errors.ts'
import { isGone, toAppError } from '../../platform/http/error-handler.ts'
import { FhirFault, issue, outcomeOf } from './faults.ts'

export const fhirJson = 'application/fhir+json; charset=utf-8'

const issueCodes: Record<number, NonNullable<OperationOutcomeIssue['code']>> = {
  400: 'invalid',
  401: 'login',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-supported',
  409: 'duplicate',
  413: 'too-long',
  415: 'not-supported',
  429: 'throttled',
  503: 'transient',
}

/** An expired token, which our own API reports to users in another way. */
const asUnauthenticated = [408, 420]

/** Answers any error with an OperationOutcome. */
export const answerFault = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
  if (error instanceof FhirFault) return send(reply, error.status, error.issues, error.headers)
  const known = toAppError(error as Parameters<typeof toAppError>[0])
  if (isGone(request, reply)) request.log.info({ route: request.routeOptions.url }, 'caller hung up')
  else if (known.status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
  const status = asUnauthenticated.includes(known.status) ? 401 : known.status
  const code = issueCodes[status] ?? (status >= 500 ? 'exception' : 'processing')
  const issues = known.errors?.map(({ message }) => issue(code, message)) ?? [issue(code, known.message)]
  return send(reply, status, issues, status === 503 ? { 'retry-after': String(retryAfterSeconds) } : {})
}

const send = (
  reply: FastifyReply,
  status: number,
  issues: OperationOutcomeIssue[],
  headers: Record<string, string>,
) => {
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="fhir", error="invalid_token"')
  return reply
    .code(status)
    .headers(headers)
    .type(fhirJson)
    .send(JSON.stringify(outcomeOf(issues)))
}
