import { superAdmins } from '@lis/contract/access/roles.ts'
import type { LovType } from '@lis/contract/lookups.ts'
import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import type { Services } from '../../platform/services.ts'

/** A chosen code with the field it came in and the list it must stand in; null is no choice. */
export interface ChosenCode {
  field: string
  type: LovType
  code: string | null
}

/** The choices that are not, or no longer, in their lists. */
export const unknownCodes = async (db: Db, chosen: readonly ChosenCode[]): Promise<ChosenCode[]> => {
  const given = chosen.filter(({ code }) => code !== null)
  if (given.length === 0) return []
  const { rows } = await sql<{ type_code: string; code: string }>`
    select type_code, code from lov where is_active and (type_code, code) in (${sql.join(
      given.map(({ type, code }) => sql`(${type}::text, ${code}::text)`),
    )})`.execute(db)
  return given.filter(({ type, code }) => !rows.some((row) => row.type_code === type && row.code === code))
}

/** Asks about many codes with one statement: tells of a code whether it stands in its list. */
export const activeCodes = async (
  db: Db,
  types: readonly LovType[],
): Promise<(type: LovType, code: string | null) => boolean> => {
  const { rows } = await sql<{ type_code: string; code: string }>`
    select type_code, code from lov where is_active and type_code = any(${[...types]}::text[])`.execute(db)
  const known = new Set(rows.map(({ type_code, code }) => `${type_code} ${code}`))
  return (type, code) => code === null || known.has(`${type} ${code}`)
}
export type IsActiveCode = Awaited<ReturnType<typeof activeCodes>>

/** The clients whose people and partners somebody may choose from. What is not named here is nobody's. */
export const isClientInScope = (
  { role, entityId, scope }: Actor,
  clientId: Expression<unknown>,
): RawBuilder<boolean> => {
  if (superAdmins.some((one) => one === role)) return sql`true`
  switch (role) {
    case 'CLNT':
      return sql`${clientId} = ${entityId}`
    case 'SLS':
      return sql`${clientId} = any(${scope.ids}::int[])`
    case 'COLA':
      return sql`${clientId} in (select id from client where collaborator_id = ${entityId} and deleted_at is null)`
    case 'PHYS':
      return sql`${clientId} in (select client_id from client_physician where physician_id = ${entityId} and deleted_at is null)`
    default:
      return sql`false`
  }
}

/**
 * Client IDs and the aliases of collaborators are one set of names: by them results go to the interface of their receiver. Whoever
 * gives one queues here, so that two never get the same.
 */
export const lockAndFindCodeOwner = async (
  trx: Trx,
  code: string,
  besides: { clientId?: number | null; collaboratorId?: number | null },
): Promise<CodeOwner['kind'] | undefined> => {
  await sql`select pg_advisory_xact_lock(hashtext(${`interface code:${code.toUpperCase()}`}))`.execute(trx)
  const others = (await findCodeOwners(trx, code)).filter(
    ({ kind, id }) => id !== (kind === 'client' ? besides.clientId : besides.collaboratorId),
  )
  return others[0]?.kind
}

interface CodeOwner {
  kind: 'client' | 'collaborator'
  id: number
}

/** Everybody of this Client ID or alias, whatever its case: one, but for what was stored before they were one set of names. */
export const findCodeOwners = async (db: Db, code: string): Promise<CodeOwner[]> => {
  const { rows } = await sql<CodeOwner>`
    select 'client' as kind, id from client where upper(legacy_client_id) = upper(${code}) and deleted_at is null
    union all select 'collaborator', id from collaborator where upper(alias) = upper(${code}) and deleted_at is null
    order by kind, id`.execute(db)
  return rows
}

/** The address of an interface stands in the settings under this name: under another one its results would go elsewhere. */
export const hasHl7Receiver = ({ config }: Pick<Services, 'config'>, code: string) =>
  Object.hasOwn(config.HL7_RECEIVERS, code)

export const hl7ReceiverMessage = (label: string, code: string) =>
  `${label} ${code} has an HL7 receiver of its own (HL7_RECEIVERS), which would no longer be found; an administrator changes that setting first`

/** A ZIP code of the United States has five or nine digits; those of other countries are taken as they are. */
export const isZipValidForState = async (db: Db, stateId: number | null, zip: string | null): Promise<boolean> => {
  if (stateId === null || zip === null || /^\d{5}(-?\d{4})?$/.test(zip)) return true
  const { rows } = await sql<{ code: string }>`
    select c.iso2 as code from state s join country c on c.id = s.country_id where s.id = ${stateId}`.execute(db)
  return rows[0]?.code !== 'US'
}
