import type { ApiClient, PublicKeys } from '@lis/contract/api-clients.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { entityId, entityName, roleCase } from '../users/queries.ts'

const state = sql`case when a.revoked_at is not null then 'REVOKED' when a.expires_at <= now() then 'EXPIRED' else 'ACTIVE' end`

export const apiClientList: ListDefinition = {
  from: sql`api_client a join app_user u on u.id = a.user_id`,
  where: [sql`a.deleted_at is null`],
  fields: {
    id: sql`a.id`,
    clientId: sql`a.client_id`,
    name: sql`a.name`,
    userRoleCode: sql`u.role_code`,
    userRoleDesc: roleCase,
    entityId,
    entityName,
    scopes: sql`a.scopes`,
    expiryDate: sql`a.expiry_date`,
    jwks: sql`a.jwks`,
    jwksUrl: sql`a.jwks_url`,
    useSecret: flag01(sql`a.secret_hash is not null`),
    state,
    lastUsedDate: sql`a.last_used_at`,
    createDate: sql`a.created_at`,
    version: sql`a.version`,
  },
  sort: { name: sql`lower(a.name)`, entityName: sql`lower(${entityName})`, expiryDate: sql`a.expires_at` },
  filter: {
    id: isOneOfIds(sql`a.id`, 'id'),
    name: contains(sql`a.name`),
    clientId: contains(sql`a.client_id`),
    userRoleCode: isOneOf(sql`u.role_code`),
    userRoleDesc: contains(roleCase),
    entityId: isOneOfIds(entityId, 'entityId'),
    entityName: contains(entityName),
    state: isOneOf(state),
    search: contains(sql`concat_ws(' ', a.name, a.client_id, ${entityName})`),
  },
  defaultOrder: sql`lower(a.name)`,
  key: sql`a.id`,
}

export const findApiClient = (db: Db, id: number) => findRow<ApiClient>(db, apiClientList, id)

/** Clients that an interface can use. */
export const listChoices = async (db: Db): Promise<{ id: number; name: string }[]> => {
  const { rows } = await sql<{ id: number; name: string }>`select a.id, a.name from api_client a
    where a.deleted_at is null and a.revoked_at is null order by lower(a.name), a.id`.execute(db)
  return rows
}

/** A client as it signs in. */
export interface SigningClient {
  id: number
  user_id: number
  scopes: string[]
  secret_hash: Buffer | null
  jwks: PublicKeys | null
  jwks_url: string | null
  is_usable: boolean
  /** Until it expires; null for never. */
  seconds_left: number | null
}

export const findSigningClient = async (db: Db, clientId: string): Promise<SigningClient | undefined> => {
  const { rows } = await sql<SigningClient>`select a.id, a.user_id, a.scopes, a.secret_hash, a.jwks, a.jwks_url,
      a.revoked_at is null and coalesce(a.expires_at > now(), true) and u.status_code = 'ACT' and u.deleted_at is null as is_usable,
      extract(epoch from a.expires_at - now())::float8 as seconds_left
    from api_client a join app_user u on u.id = a.user_id where a.client_id = ${clientId} and a.deleted_at is null`.execute(
    db,
  )
  return rows[0]
}
