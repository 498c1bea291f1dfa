import { superAdmins } from '@lis/contract/access/roles.ts'
import type { LovType } from '@lis/contract/lookups.ts'
import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyText } from '../../platform/db/expressions.ts'
import type { Services } from '../../platform/services.ts'

/** A chosen code with its field and the lookup list it must be in; null is no choice. */
export interface ChosenCode {
  field: string
  type: LovType
  code: string | null
}

/** The choices that are not, or no longer, in their lookup lists. */
export const unknownCodes = async (db: Db, chosen: readonly ChosenCode[]): Promise<ChosenCode[]> => {
  const given = chosen.filter(({ code }) => code !== null)
  if (given.length === 0) return []
  const rows = await db
    .selectFrom('lov')
    .select(['type_code', 'code'])
    .where('is_active', '=', sql.lit(true))
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('type_code', 'code'),
        'in',
        given.map(({ type, code }) => sql<[string, string]>`(${type}::text, ${code}::text)`),
      ),
    )
    .execute()
  return given.filter(({ type, code }) => !rows.some((row) => row.type_code === type && row.code === code))
}

/** Reads whole lookup lists with one statement, to check many codes against them. */
export const activeCodes = async (
  db: Db,
  types: readonly LovType[],
): Promise<(type: LovType, code: string | null) => boolean> => {
  const rows = await db
    .selectFrom('lov')
    .select(['type_code', 'code'])
    .where('is_active', '=', sql.lit(true))
    .where('type_code', '=', anyText(types))
    .execute()
  const known = new Set(rows.map(({ type_code, code }) => `${type_code} ${code}`))
  return (type, code) => code === null || known.has(`${type} ${code}`)
}
export type IsActiveCode = Awaited<ReturnType<typeof activeCodes>>

/** The preset of forms; undefined if the list has no default. */
export const findDefault = async (db: Db, type: LovType): Promise<string | undefined> => {
  const row = await db
    .selectFrom('lov')
    .select('code')
    .where('type_code', '=', type)
    .where('is_default', '=', true)
    .executeTakeFirst()
  return row?.code
}

/** The clients that the actor may see. A role that is not named here sees none. */
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
 * Client IDs and the aliases of collaborators share one namespace, by which results are routed to HL7 interfaces. Locks the code until
 * the transaction ends, so that two records never get the same one, and finds who else has it.
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

/** All with this Client ID or alias, in any case. More than one only in data from before the shared namespace. */
export const findCodeOwners = async (db: Db, code: string): Promise<CodeOwner[]> => {
  const upperCode = sql<string>`upper(${code})`
  return db
    .selectFrom('client')
    .select([sql.lit<CodeOwner['kind']>('client').as('kind'), 'id'])
    .where((eb) => eb(eb.fn<string>('upper', ['legacy_client_id']), '=', upperCode))
    .where('deleted_at', 'is', null)
    .unionAll(
      db
        .selectFrom('collaborator')
        .select([sql.lit<CodeOwner['kind']>('collaborator').as('kind'), 'id'])
        .where((eb) => eb(eb.fn<string>('upper', ['alias']), '=', upperCode))
        .where('deleted_at', 'is', null),
    )
    .orderBy('kind')
    .orderBy('id')
    .execute()
}

/** Whether the settings have an HL7 receiver under this code: with another code its results would be sent elsewhere. */
export const hasHl7Receiver = ({ config }: Pick<Services, 'config'>, code: string) =>
  Object.hasOwn(config.HL7_RECEIVERS, code)

export const hl7ReceiverMessage = (label: string, code: string) =>
  `${label} ${code} has an HL7 receiver of its own (HL7_RECEIVERS), which would no longer be found; an administrator changes that setting first`

/** A ZIP code of the United States has five or nine digits; those of other countries are not checked. */
export const isZipValidForState = async (db: Db, stateId: number | null, zip: string | null): Promise<boolean> => {
  if (stateId === null || zip === null || /^\d{5}(-?\d{4})?$/.test(zip)) return true
  const country = await db
    .selectFrom('state as s')
    .innerJoin('country as c', 'c.id', 's.country_id')
    .select('c.iso2')
    .where('s.id', '=', stateId)
    .executeTakeFirst()
  return country?.iso2 !== 'US'
}
