import { randomBytes } from 'node:crypto'
import {
  type ApiClient,
  type ApiClientInput,
  type ApiClientUpdate,
  apiClientLabels,
} from '@lis/contract/api-clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { entityLabels, entityTypeOf } from '@lis/contract/users.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import { closeSessions, hashToken } from '../../platform/auth/sessions.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { RefusedAddress, requirePublicAddress } from '../../platform/outbound/addresses.ts'
import type { Services } from '../../platform/services.ts'
import { entityValues, lockEntity } from '../users/queries.ts'
import { findApiClient } from './queries.ts'

export interface ApiClientCall extends WriteCall {
  services: Pick<Services, 'config'>
}

export interface NewSecret {
  id: number
  clientId: string
  /** Null where the client signs in with a key. */
  clientSecret: string | null
}

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'api_client', entityId: id, ...record })

/** For the history: no secret, and only the names of the keys. */
const readable = (client: ApiClient) => ({
  name: client.name,
  userRoleCode: client.userRoleCode,
  entityName: client.entityName,
  scopes: client.scopes.join(' '),
  expiryDate: client.expiryDate,
  jwks: client.jwks?.keys.map(({ kid }) => kid).join(', ') ?? null,
  jwksUrl: client.jwksUrl,
})

export const getApiClient = async (db: Db, id: number): Promise<ApiClient> => {
  const found = await findApiClient(db, id)
  if (!found) throw notFound('API client')
  return found
}

const makeSecret = () => randomBytes(32).toString('base64url')

export const createApiClient = async (call: ApiClientCall, input: ApiClientInput): Promise<NewSecret> => {
  const { db, actor } = call
  await requireValid(call, input)
  const clientId = randomBytes(12).toString('hex')
  const clientSecret = input.useSecret === 1 ? makeSecret() : null
  const user = await db
    .insertInto('app_user')
    .values({
      is_api_client: true,
      // A name that no person can have: theirs have no colon.
      user_name: `api:${clientId}`,
      last_name: '',
      email: '',
      phone: '0000000',
      created_by: actor.userId,
      ...accountColumns(input),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id } = await db
    .insertInto('api_client')
    .values({
      user_id: user.id,
      client_id: clientId,
      ...columnsOf(input),
      secret_hash: clientSecret === null ? null : hashToken(clientSecret),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(call, id, { action: 'CREATE', new: readable(await getApiClient(db, id)) })
  return { id, clientId, clientSecret }
}

export const updateApiClient = async (
  call: ApiClientCall,
  id: number,
  sent: ApiClientUpdate,
  expected: number | null,
): Promise<ApiClient> => {
  const { db } = call
  const before = await lockApiClient(db, id)
  await requireVersion(db, 'api_client', expected, before)
  const input = withOneCredential(mergeUpdate(before as ApiClientInput & ApiClient, sent), sent)
  await requireValid(call, input)
  await db
    .updateTable('api_client')
    .set({ ...columnsOf(input), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await db
    .updateTable('app_user')
    .set(accountColumns(input))
    .where('id', '=', (eb) => eb.selectFrom('api_client').select('user_id').where('id', '=', id))
    .execute()
  const after = await getApiClient(db, id)
  if (invalidatesTokens(before, after)) await endTokens(db, id, 'API_CLIENT_CHANGED')
  await audit(call, id, { action: 'UPDATE', old: readable(before), new: readable(after) })
  return after
}

/** Keys instead of their address, or the reverse; a client with a secret keeps it. */
const withOneCredential = (input: ApiClientInput & ApiClient, sent: ApiClientUpdate): ApiClientInput & ApiClient => {
  const keys = sent.jwks ? { jwksUrl: null } : sent.jwksUrl ? { jwks: null } : {}
  const merged = { ...input, ...keys }
  const credentials = [merged.jwks !== null, merged.jwksUrl !== null, merged.useSecret === 1].filter(Boolean).length
  if (credentials === 1) return merged
  throw invalid(
    'jwks',
    merged.useSecret === 1 ? 'This client signs in with a secret' : messages.required(apiClientLabels.jwks),
  )
}

/** Tokens given before may no longer hold: another role, other scopes, an earlier end, or a key that is gone. */
const invalidatesTokens = (before: ApiClient, after: ApiClient): boolean => {
  const keysOf = ({ jwks }: ApiClient) => (jwks?.keys ?? []).map((key) => JSON.stringify(key))
  const kept = keysOf(after)
  return (
    before.userRoleCode !== after.userRoleCode ||
    before.entityId !== after.entityId ||
    before.expiryDate !== after.expiryDate ||
    before.scopes.some((scope) => !after.scopes.includes(scope)) ||
    keysOf(before).some((key) => !kept.includes(key))
  )
}

/** The secret and all tokens end at once, in every process. */
export const rotateSecret = async (call: WriteCall, id: number): Promise<NewSecret> => {
  const { db } = call
  const client = await lockApiClient(db, id)
  if (client.useSecret !== 1) throw conflict('This client signs in with a key, not with a secret')
  if (client.state === 'REVOKED') throw conflict('This client has been revoked')
  const clientSecret = makeSecret()
  await db
    .updateTable('api_client')
    .set({ secret_hash: hashToken(clientSecret), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await endTokens(db, id, 'SECRET_ROTATED')
  await audit(call, id, { action: 'ROTATE_SECRET' })
  return { id, clientId: client.clientId, clientSecret }
}

export const revokeApiClient = async (call: WriteCall, id: number) => {
  const { db } = call
  const client = await lockApiClient(db, id)
  if (client.state === 'REVOKED') return
  await db
    .updateTable('api_client')
    .set({ revoked_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await endTokens(db, id, 'API_CLIENT_REVOKED')
  await audit(call, id, { action: 'REVOKE', old: { state: client.state }, new: { state: 'REVOKED' } })
}

/** Its account is kept for the history, as a locked guest without an entity. */
export const removeApiClient = async (call: WriteCall, id: number) => {
  const { db } = call
  const client = await lockApiClient(db, id)
  const partner = await db
    .selectFrom('interface_partner')
    .select('name')
    .where('api_client_id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (partner) throw conflict(`The interface ${partner.name} uses this client`)
  await db
    .updateTable('api_client')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await db
    .updateTable('app_user')
    .set({ status_code: 'LCK', role_code: 'GST', ...entityValues('GST', null) })
    .where('id', '=', (eb) => eb.selectFrom('api_client').select('user_id').where('id', '=', id))
    .execute()
  await endTokens(db, id, 'API_CLIENT_DELETED')
  await audit(call, id, { action: 'DELETE', old: readable(client) })
}

const endTokens = (trx: Trx, id: number, reason: string) => closeSessions(trx, reason, sql`api_client_id = ${id}::int`)

const lockApiClient = async (trx: Trx, id: number): Promise<ApiClient> => {
  await lockRow(trx, 'api_client', id, 'update')
  return getApiClient(trx, id)
}

type Checked = Pick<ApiClientInput, 'userRoleCode' | 'entityId' | 'jwksUrl'>

const requireValid = async ({ db, services }: ApiClientCall, { userRoleCode, entityId, jwksUrl }: Checked) => {
  const type = entityTypeOf(userRoleCode)
  if (type && entityId === null) throw invalid('entityId', messages.required(entityLabels[type]))
  if (type && !(await lockEntity(db, userRoleCode, entityId)))
    throw invalid('entityId', messages.invalid(entityLabels[type]))
  if (jwksUrl === null) return
  try {
    requirePublicAddress(jwksUrl, services.config.OUTBOUND_ALLOW)
  } catch (error) {
    if (!(error instanceof RefusedAddress)) throw error
    throw invalid('jwksUrl', `${apiClientLabels.jwksUrl} ${error.message}`)
  }
}

const accountColumns = ({
  name,
  userRoleCode,
  entityId,
}: Pick<ApiClientInput, 'name' | 'userRoleCode' | 'entityId'>) => ({
  first_name: name,
  role_code: userRoleCode,
  ...entityValues(userRoleCode, entityId),
})

const columnsOf = (input: ApiClientInput) => ({
  name: input.name,
  scopes: input.scopes,
  expiry_date: input.expiryDate,
  expires_at: expiresAt(input.expiryDate),
  jwks: input.jwks === null ? null : sql<string>`${JSON.stringify(input.jwks)}::jsonb`,
  jwks_url: input.jwksUrl,
})

/** A date includes the whole day. */
const expiresAt = (expiry: string | null) => {
  if (expiry === null || expiry.includes('T')) return expiry
  return sql<string>`(${expiry}::date + 1)::timestamp at time zone 'UTC'`
}
