import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { hashToken, openClientSession } from '../../platform/auth/sessions.ts'
import type { Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { toAppError } from '../../platform/http/error-handler.ts'
import { namesOf } from '../../platform/http/public-address.ts'
import type { Services } from '../../platform/services.ts'
import {
  type Assertion,
  assertionType,
  claimedClientId,
  claimedKeyId,
  keySource,
  RefusedAssertion,
  verifyAssertion,
} from './client-assertion.ts'
import { findSigningClient, type SigningClient } from './queries.ts'
import { grantScopes } from './scopes.ts'

const tokenPath = '/oauth2/token'
const longestTokenSeconds = 300
const maxFormBytes = 64 * 1024

type OAuthCode = 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unsupported_grant_type'

/** A fault by RFC 6749. */
class OAuthError extends Error {
  readonly code: OAuthCode
  readonly status: number
  constructor(code: OAuthCode, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}
const badRequest = (message: string) => new OAuthError('invalid_request', message)
const badClient = (message: string) => new OAuthError('invalid_client', message, 401)

/** `POST /oauth2/token`: a system signs in with a signed assertion or its secret and gets a token for a few minutes. */
export const tokenEndpoint = async (app: FastifyInstance, services: Services) => {
  const keysOf = keySource(services.config.OUTBOUND_ALLOW)
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (_, body, done) => done(null, String(body)),
  )
  app.setErrorHandler((error: Error, request, reply) => answerFault(error, request, reply))
  app.post(tokenPath, async (request, reply) => {
    const form = readForm(request.body)
    if (form.get('grant_type') === null) throw badRequest('grant_type is missing')
    if (form.get('grant_type') !== 'client_credentials')
      throw new OAuthError('unsupported_grant_type', 'grant_type must be client_credentials')
    const signed = await signIn(services, keysOf, request, form)
    const asked = (form.get('scope') ?? '').split(/\s+/).filter(Boolean)
    const scopes = asked.length === 0 ? signed.client.scopes : grantScopes(asked, signed.client.scopes)
    if (scopes.length === 0) throw new OAuthError('invalid_scope', 'None of the scopes is allowed for this client')
    const seconds = Math.max(
      1,
      Math.min(longestTokenSeconds, Math.floor(signed.client.seconds_left ?? longestTokenSeconds)),
    )
    const token = await giveToken(services, request, signed, { scopes, seconds })
    return reply
      .headers(notStored)
      .send({ access_token: token, token_type: 'bearer', expires_in: seconds, scope: scopes.join(' ') })
  })
}

const notStored = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Each parameter once (RFC 6749, 3.2). */
const readForm = (body: unknown): URLSearchParams => {
  if (typeof body !== 'string') throw badRequest('The body must be a form (application/x-www-form-urlencoded)')
  const form = new URLSearchParams(body)
  const names = [...form.keys()]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw badRequest(`${twice.slice(0, 50)} is given twice`)
  return form
}

interface SignedIn {
  client: SigningClient
  /** Works once. */
  assertion: Assertion | null
}

const signIn = async (
  services: Services,
  keysOf: ReturnType<typeof keySource>,
  request: FastifyRequest,
  form: URLSearchParams,
): Promise<SignedIn> => {
  const assertion = form.get('client_assertion')
  const basic = readBasic(request.headers.authorization)
  if (assertion !== null && basic) throw badRequest('Only one way of signing in can be used at a time')
  if (assertion !== null) {
    if (form.get('client_assertion_type') !== assertionType)
      throw badRequest(`client_assertion_type must be ${assertionType}`)
    return withAssertion(services, keysOf, assertion)
  }
  if (!basic) throw badClient('A client_assertion or the secret is needed')
  const client = await findUsable(services, basic.clientId)
  const isRight = client.secret_hash !== null && timingSafeEqual(client.secret_hash, hashToken(basic.secret))
  if (!isRight) throw badClient(refusal)
  return { client, assertion: null }
}

/** The same message for an unknown, revoked or expired client, so that clients cannot be guessed. */
const refusal = 'The client is unknown, or may not sign in'

const findUsable = async ({ databases }: Services, clientId: string): Promise<SigningClient> => {
  const client =
    clientId.length <= 200 && !clientId.includes('\0')
      ? await findSigningClient(databases(systemScope), clientId)
      : undefined
  if (!client?.is_usable) throw badClient(refusal)
  return client
}

const withAssertion = async (
  services: Services,
  keysOf: ReturnType<typeof keySource>,
  assertion: string,
): Promise<SignedIn> => {
  try {
    const clientId = claimedClientId(assertion)
    const client = await findUsable(services, clientId)
    const keys = await keysOf(client, claimedKeyId(assertion))
    return {
      client,
      assertion: await verifyAssertion(assertion, clientId, keys, audiencesOf(services.config.publicUrl)),
    }
  } catch (error) {
    if (error instanceof RefusedAssertion) throw badClient(error.message)
    throw error
  }
}

const audiencesOf = (publicUrl: string): string[] => namesOf(publicUrl).map((name) => `${name}${tokenPath}`)

const readBasic = (header: string | undefined): { clientId: string; secret: string } | null => {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]{4,2000})$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return null
  const [, name, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  if (name === undefined || secret === undefined) return null
  try {
    return {
      clientId: decodeURIComponent(name.replaceAll('+', ' ')),
      secret: decodeURIComponent(secret.replaceAll('+', ' ')),
    }
  } catch {
    return { clientId: name, secret }
  }
}

const giveToken = (
  { databases }: Services,
  { ip, headers }: FastifyRequest,
  { client, assertion }: SignedIn,
  { scopes, seconds }: { scopes: readonly string[]; seconds: number },
): Promise<string> =>
  databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      if (assertion) await takeAssertion(trx, client.id, assertion)
      const { numUpdatedRows } = await trx
        .updateTable('api_client')
        .set({ last_used_at: sql<string>`now()` })
        .where('id', '=', client.id)
        .where('revoked_at', 'is', null)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw badClient(refusal)
      const granted = { id: client.id, userId: client.user_id, scopes, seconds }
      return openClientSession(trx, granted, { ip, userAgent: headers['user-agent'] })
    })

const takeAssertion = async (trx: Trx, clientId: number, { jti, expiresAt }: Assertion) => {
  await sql`delete from api_client_assertion where api_client_id = ${clientId} and expires_at < now()`.execute(trx)
  const { numAffectedRows } =
    await sql`insert into api_client_assertion (api_client_id, jti, expires_at) values (${clientId}, ${jti.replaceAll('\0', ' ')}, ${expiresAt.toISOString()})
      on conflict do nothing`.execute(trx)
  if (numAffectedRows !== 1n) throw badClient('This jti has been used before')
}

const answerFault = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
  if (error instanceof OAuthError) {
    if (error.status === 401) void reply.header('www-authenticate', 'Basic realm="lis"')
    return reply
      .code(error.status)
      .headers(notStored)
      .send({ error: error.code, error_description: error.message.replace(/["\\]/g, "'") })
  }
  const known = toAppError(error as Parameters<typeof toAppError>[0])
  if (known.status >= 500) request.log.error({ err: error, route: tokenPath }, 'request failed')
  const code =
    known.status >= 500 ? (known.status === 503 ? 'temporarily_unavailable' : 'server_error') : 'invalid_request'
  return reply.code(known.status).headers(notStored).send({ error: code, error_description: known.message })
}
