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
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { isClientInScope } from '../lookups/queries.ts'

/** The clients of a physician `p` that the actor may see. */
const clientsOf = (actor: Actor, select: Sql, and: Sql = sql`true`) => sql`
  select ${select} from client_physician cp join client c on c.id = cp.client_id
  where cp.physician_id = p.id and cp.deleted_at is null and c.deleted_at is null and ${isClientInScope(actor, sql`c.id`)} and ${and}`

/** Which physicians the actor may see: those of the clients in scope, and physicians also themselves. */
const visiblePhysicians = (actor: Actor): Sql => {
  if (superAdmins.some((role) => role === actor.role)) return sql`true`
  const hasClientInScope = sql`exists (${clientsOf(actor, sql`1`)})`
  return actor.role === 'PHYS' ? sql`(p.id = ${actor.entityId} or ${hasClientInScope})` : hasClientInScope
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

/** The check digit of the NPI is not computed in the database. */
export const withNpiFlag = (row: Record<string, unknown>) => ({
  ...row,
  isNpiValid: isNpi(String(row.npiNumber)) ? 1 : 0,
})

/** The list of physicians; page, total, export and the single record use it. */
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
    physPortalPrefDesc: lookupDescriptionOrCode('PORTALPREF', sql`p.portal_pref_code`),
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

/** The options of users who may not open physicians. */
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

export const physicianColumns = (input: Omit<PhysicianInput, 'clientIds'>) => ({
  first_name: input.physFirstName,
  middle_name: input.physMiddleName,
  last_name: input.physLastName,
  title: input.physTitle,
  npi_number: input.npiNumber,
  ptan_number: input.ptanNumber,
  portal_pref_code: input.physPortalPrefCode,
})

/** Others with this NPI. Locks it until the transaction ends, so that the second of two people who enter it at once is asked. */
export const lockAndFindDuplicates = async (
  trx: Trx,
  npi: string,
  exceptId: number | null,
): Promise<PossibleDuplicatePhysician[]> => {
  await sql`select pg_advisory_xact_lock(hashtext(${`physician.npi_number:${npi}`}))`.execute(trx)
  return trx
    .selectFrom('physician')
    .select(['id', 'first_name as physFirstName', 'last_name as physLastName'])
    .select(['title as physTitle', 'npi_number as npiNumber'])
    .where('npi_number', '=', npi)
    .where('deleted_at', 'is', null)
    .where('id', 'is distinct from', bigint(exceptId))
    .orderBy('id')
    .limit(sql.lit(20))
    .execute()
}

export const countUsesOfPhysician = async (db: Db, id: number) => {
  const { ordered, copied, users } = await db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('requisition_list')
        .select(fn.countAll<number>().as('n'))
        .where('physician_id', '=', id)
        .$asScalar()
        .as('ordered'),
      selectFrom('requisition_list')
        .select(fn.countAll<number>().as('n'))
        .where('copy_physician_id', '=', id)
        .where('physician_id', '<>', id)
        .$asScalar()
        .as('copied'),
      selectFrom('app_user')
        .select(fn.countAll<number>().as('n'))
        .where('physician_id', '=', id)
        .where('deleted_at', 'is', null)
        .$asScalar()
        .as('users'),
    ])
    .executeTakeFirstOrThrow()
  return { requisitions: ordered + copied, users }
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

/** Which of the clients and physicians are not deleted. They are locked against deletion until the transaction ends. */
export const lockExisting = async (trx: Trx, pairs: readonly Pair[]) => {
  const existing = async (table: 'client' | 'physician', ids: readonly number[]) => {
    const rows = await trx
      .selectFrom(table)
      .select('id')
      .where('deleted_at', 'is', null)
      .where('id', '=', anyId(ids))
      .orderBy('id')
      .forKeyShare()
      .execute()
    return new Set(rows.map(({ id }) => id))
  }
  return {
    clients: await existing(
      'client',
      pairs.map(({ clientId }) => clientId),
    ),
    physicians: await existing(
      'physician',
      pairs.map(({ physId }) => physId),
    ),
  }
}

/** Links them; a pair that was unlinked gets back the id that old orders refer to. Returns only the newly linked pairs. */
export const linkPairs = async (trx: Trx, pairs: readonly Pair[]): Promise<KnownPair[]> => {
  const { rows } = await sql<{ id: number }>`
    insert into client_physician (client_id, physician_id)
    select * from unnest(${pairs.map(({ clientId }) => clientId)}::int[], ${pairs.map(({ physId }) => physId)}::int[])
    on conflict (client_id, physician_id) do update set deleted_at = null where client_physician.deleted_at is not null
    returning id`.execute(trx)
  return findPairs(
    trx,
    rows.map(({ id }) => id),
  )
}

/** Unlinks them; returns those that were linked. */
export const unlinkPairs = async (trx: Trx, pairs: readonly Pair[]): Promise<KnownPair[]> => {
  const { rows } = await sql<{ id: number }>`
    update client_physician cp set deleted_at = now()
    from unnest(${pairs.map(({ clientId }) => clientId)}::bigint[], ${pairs.map(({ physId }) => physId)}::bigint[]) as x(client_id, physician_id)
    where cp.client_id = x.client_id and cp.physician_id = x.physician_id and cp.deleted_at is null
    returning cp.id`.execute(trx)
  return findPairs(
    trx,
    rows.map(({ id }) => id),
  )
}

export const findPairs = async (trx: Trx, ids: readonly number[]): Promise<KnownPair[]> => {
  if (ids.length === 0) return []
  return trx
    .selectFrom('client_physician as cp')
    .innerJoin('client as c', 'c.id', 'cp.client_id')
    .innerJoin('physician as p', 'p.id', 'cp.physician_id')
    .select((eb) => [
      'cp.id',
      'cp.client_id as clientId',
      'cp.physician_id as physId',
      'c.name as clientName',
      sql<string>`${eb.ref('p.first_name')} || ' ' || ${eb.ref('p.last_name')}`.as('physName'),
    ])
    .where('cp.id', '=', anyId(ids))
    .orderBy('cp.id')
    .execute()
}
