import { superAdmins } from '@lis/contract/access/roles.ts'
import {
  isNpi,
  type Physician,
  type PhysicianInput,
  type PossibleDuplicatePhysician,
} from '@lis/contract/physicians.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { contains, findRow, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isClientInScope } from '../lookups/queries.ts'

/** The clients of a physician `p` that the reader may see: of other practices not even the name. */
const clientsOf = (actor: Actor, select: Sql, and: Sql = sql`true`) => sql`
  select ${select} from client_physician cp join client c on c.id = cp.client_id
  where cp.physician_id = p.id and cp.deleted_at is null and c.deleted_at is null and ${isClientInScope(actor, sql`c.id`)} and ${and}`

/** Which physicians a person may see: those of the practices in scope, and a physician always oneself. */
const visiblePhysicians = (actor: Actor): Sql => {
  if (superAdmins.some((role) => role === actor.role)) return sql`true`
  const ofPractice = sql`exists (${clientsOf(actor, sql`1`)})`
  return actor.role === 'PHYS' ? sql`(p.id = ${actor.entityId} or ${ofPractice})` : ofPractice
}

const optionFields = { id: sql`p.id`, physFirstName: sql`p.first_name`, physLastName: sql`p.last_name` }
const sort = { physFirstName: sql`lower(p.first_name)`, physLastName: sql`lower(p.last_name)` }
const optionFilters = (actor: Actor) => ({
  id: isOneOfIds(sql`p.id`, 'id'),
  physFirstName: contains(sql`p.first_name`),
  physLastName: contains(sql`p.last_name`),
  clientId: (value: string | string[]) =>
    sql`exists (${clientsOf(actor, sql`1`, isOneOfIds(sql`c.id`, 'clientId')(value))})`,
})
const visible = (actor: Actor) => [sql`p.deleted_at is null`, visiblePhysicians(actor)]

/** The check digit is no matter of the database. */
export const withNpiFlag = (row: Record<string, unknown>) => ({
  ...row,
  isNpiValid: isNpi(String(row.npiNumber)) ? 1 : 0,
})

/** The list of physicians; page, total and export are made from it, and one record is the list with one row. */
export const physicianList = (actor: Actor): ListDefinition => ({
  from: sql`physician p`,
  where: visible(actor),
  fields: {
    ...optionFields,
    physMiddleName: sql`p.middle_name`,
    physTitle: sql`p.title`,
    npiNumber: sql`p.npi_number`,
    ptanNumber: sql`p.ptan_number`,
    physPortalPrefCode: sql`p.portal_pref_code`,
    physPortalPrefDesc: sql`coalesce((select description from lov where type_code = 'PORTALPREF' and code = p.portal_pref_code), p.portal_pref_code)`,
    clientName: sql`(${clientsOf(actor, sql`string_agg(c.name, ', ' order by c.id)`)})`,
    legacyClientId: sql`(${clientsOf(actor, sql`string_agg(c.legacy_client_id, ', ' order by c.id)`)})`,
    clientIds: sql`array(${clientsOf(actor, sql`c.id`)} order by c.id)`,
    version: sql`p.version`,
  },
  sort,
  filter: {
    ...optionFilters(actor),
    npiNumber: contains(sql`p.npi_number`),
    clientName: (value) => sql`exists (${clientsOf(actor, sql`1`, contains(sql`c.name`)(value))})`,
    legacyClientId: (value) => sql`exists (${clientsOf(actor, sql`1`, contains(sql`c.legacy_client_id`)(value))})`,
    search: contains(sql`concat_ws(' ', p.id, p.first_name, p.last_name, p.npi_number, p.ptan_number)`),
  },
  defaultOrder: sql`p.id`,
  key: sql`p.id`,
  finish: withNpiFlag,
})

/** What those may choose from who do not open physicians. */
export const physicianOptionList = (actor: Actor): ListDefinition => ({
  from: sql`physician p`,
  where: visible(actor),
  fields: optionFields,
  sort,
  filter: { ...optionFilters(actor), search: contains(sql`(p.first_name || ' ' || p.last_name)`) },
  defaultOrder: sql`p.id`,
  key: sql`p.id`,
})

export const clientsOfPhysicianList = (actor: Actor, id: number): ListDefinition => ({
  from: sql`client_physician cp join client c on c.id = cp.client_id join state s on s.id = c.state_id`,
  where: [
    sql`cp.physician_id = ${id}::bigint`,
    sql`cp.deleted_at is null`,
    sql`c.deleted_at is null`,
    isClientInScope(actor, sql`c.id`),
  ],
  fields: {
    id: sql`c.id`,
    legacyClientId: sql`c.legacy_client_id`,
    clientName: sql`c.name`,
    clientPhone: sql`c.phone`,
    clientCity: sql`c.city`,
    clientState: sql`s.long_name`,
  },
  filter: { id: isOneOfIds(sql`c.id`, 'id') },
  defaultOrder: sql`c.id`,
  key: sql`c.id`,
})

export const findPhysician = async (db: Db, actor: Actor, id: number): Promise<Physician | undefined> => {
  const row = await findRow<Record<string, unknown>>(db, physicianList(actor), id)
  return row && (withNpiFlag(row) as unknown as Physician)
}

/** Takes the row for the length of the transaction. To delete it also keeps off those who are just about to refer to it. */
export const lockPhysician = async (trx: Trx, id: number, to: 'update' | 'delete') => {
  const strength = to === 'delete' ? sql`for update` : sql`for no key update`
  await sql`select id from physician where id = ${id}::bigint ${strength}`.execute(trx)
}

export const physicianColumns = (input: Omit<PhysicianInput, 'clientIds' | 'confirmDuplicate'>) => ({
  first_name: input.physFirstName,
  middle_name: input.physMiddleName,
  last_name: input.physLastName,
  title: input.physTitle,
  npi_number: input.npiNumber,
  ptan_number: input.ptanNumber,
  portal_pref_code: input.physPortalPrefCode,
})

/** Who else bears the number. Two people who enter the same one at once queue here, so that the second is asked. */
export const findTwins = async (
  trx: Trx,
  npi: string,
  besides: number | null,
): Promise<PossibleDuplicatePhysician[]> => {
  await sql`select pg_advisory_xact_lock(hashtext(${`physician.npi_number:${npi}`}))`.execute(trx)
  const { rows } = await sql<PossibleDuplicatePhysician>`
    select id, first_name as "physFirstName", last_name as "physLastName", title as "physTitle", npi_number as "npiNumber"
    from physician where npi_number = ${npi} and deleted_at is null and id is distinct from ${besides}::bigint
    order by id limit 20`.execute(trx)
  return rows
}

export const usesOfPhysician = async (db: Db, id: number) => {
  const { rows } = await sql<{ requisitions: number; users: number }>`
    select (select count(*) from requisition_list where physician_id = ${id})
        + (select count(*) from requisition_list where copy_physician_id = ${id} and physician_id <> ${id}) as requisitions,
      (select count(*) from app_user where physician_id = ${id} and deleted_at is null) as users`.execute(db)
  return rows[0] as { requisitions: number; users: number }
}

export interface Pair {
  clientId: number
  physId: number
}

interface KnownPair extends Pair {
  id: number
  clientName: string
  physName: string
}

/** Which of the clients and physicians live. They are held: who deletes one meanwhile comes before this, or finds it in use. */
export const findLiving = async (trx: Trx, pairs: readonly Pair[]) => {
  const living = async (table: 'client' | 'physician', ids: readonly number[]) => {
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(table)} where deleted_at is null and id = any(${ids}::bigint[]) order by id for key share`.execute(
      trx,
    )
    return new Set(rows.map(({ id }) => id))
  }
  return {
    clients: await living(
      'client',
      pairs.map(({ clientId }) => clientId),
    ),
    physicians: await living(
      'physician',
      pairs.map(({ physId }) => physId),
    ),
  }
}

/** Joins them; a pair that was parted comes back with the id that old orders name. Gives only those that were not joined already. */
export const joinPairs = async (trx: Trx, pairs: readonly Pair[]): Promise<KnownPair[]> => {
  const { rows } = await sql<{ id: number }>`
    insert into client_physician (client_id, physician_id)
    select * from unnest(${pairs.map(({ clientId }) => clientId)}::int[], ${pairs.map(({ physId }) => physId)}::int[])
    on conflict (client_id, physician_id) do update set deleted_at = null where client_physician.deleted_at is not null
    returning id`.execute(trx)
  return describePairs(
    trx,
    rows.map(({ id }) => id),
  )
}

/** Parts them; gives those that were joined. */
export const partPairs = async (trx: Trx, pairs: readonly Pair[]): Promise<KnownPair[]> => {
  const { rows } = await sql<{ id: number }>`
    update client_physician cp set deleted_at = now()
    from unnest(${pairs.map(({ clientId }) => clientId)}::bigint[], ${pairs.map(({ physId }) => physId)}::bigint[]) as x(client_id, physician_id)
    where cp.client_id = x.client_id and cp.physician_id = x.physician_id and cp.deleted_at is null
    returning cp.id`.execute(trx)
  return describePairs(
    trx,
    rows.map(({ id }) => id),
  )
}

export const describePairs = async (trx: Trx, ids: readonly number[]): Promise<KnownPair[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql<KnownPair>`
    select cp.id, cp.client_id as "clientId", cp.physician_id as "physId", c.name as "clientName",
      p.first_name || ' ' || p.last_name as "physName"
    from client_physician cp join client c on c.id = cp.client_id join physician p on p.id = cp.physician_id
    where cp.id = any(${ids}::int[]) order by cp.id`.execute(trx)
  return rows
}
