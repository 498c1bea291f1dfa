import type { SalesInput, SalesPerson } from '@lis/contract/sales.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isClientInScope } from '../lookups/queries.ts'

const optionFields = {
  id: sql`p.id`,
  salesFirstName: sql`p.first_name`,
  salesLastName: sql`p.last_name`,
  salesRepCode: sql`p.rep_code`,
  salesTypeCode: sql`p.type_code`,
}
const optionFilters = {
  id: isOneOfIds(sql`p.id`, 'id'),
  salesFirstName: contains(sql`p.first_name`),
  salesLastName: contains(sql`p.last_name`),
  salesRepCode: contains(sql`p.rep_code`),
  salesTypeCode: isOneOf(sql`p.type_code`),
}
const isNotDeleted = sql`p.deleted_at is null`
const sort = { salesFirstName: sql`lower(p.first_name)`, salesLastName: sql`lower(p.last_name)` }

/** The list of sales people; page, total, export and the single record use it. */
export const salesList: ListDefinition = {
  from: sql`sales_person p left join sales_person manager on manager.id = p.report_to_id and manager.deleted_at is null
    left join lov type on type.type_code = 'SALESTYPE' and type.code = p.type_code`,
  where: [isNotDeleted],
  fields: {
    ...optionFields,
    salesMiddleName: sql`p.middle_name`,
    salesEmail: sql`p.email`,
    salesPhone: sql`p.phone`,
    salesTitle: sql`p.title`,
    reportToId: sql`manager.id`,
    reportTo: sql`manager.first_name || ' ' || manager.last_name`,
    salesCompanyName: sql`p.company_name`,
    salesNote: sql`p.note`,
    salesTypeDesc: sql`coalesce(type.description, p.type_code)`,
    version: sql`p.version`,
  },
  sort: { ...sort, salesEmail: sql`lower(p.email::text)`, salesTitle: sql`lower(p.title)` },
  filter: {
    ...optionFilters,
    salesEmail: contains(sql`p.email::text`),
    salesTitle: contains(sql`p.title`),
    search: contains(
      sql`(p.first_name || ' ' || p.last_name || ' ' || p.email || ' ' || p.title || ' ' || p.rep_code)`,
    ),
  },
  defaultOrder: sql`p.id`,
  key: sql`p.id`,
}

/** The options of users who do not maintain sales people: names and codes, no contact data. */
export const salesOptionList = (actor: Actor): ListDefinition => ({
  from: sql`sales_person p`,
  where: [isNotDeleted, isInScope(actor)],
  fields: optionFields,
  sort,
  filter: {
    ...optionFilters,
    search: contains(sql`(p.first_name || ' ' || p.last_name || ' ' || p.rep_code)`),
  },
  defaultOrder: sql`p.id`,
  key: sql`p.id`,
})

const isInScope = (actor: Actor): Sql =>
  actor.role === 'SLS'
    ? sql`p.id in (${team(sql`${actor.entityId}::int`)})`
    : sql`p.id in (select cs.sales_person_id from client_sales cs where ${isClientInScope(actor, sql`cs.client_id`)}
        union select c.service_person_id from client c where c.deleted_at is null and ${isClientInScope(actor, sql`c.id`)})`

/** The person and everyone who reports to them, directly or not; `union` ends at a cycle. */
const team = (id: Sql): Sql => sql`
  with recursive team as (
    select id from sales_person where id = ${id} and deleted_at is null
    union select s.id from sales_person s join team on s.report_to_id = team.id where s.deleted_at is null
  ) select id from team`

export const staffList = (id: number): ListDefinition => ({
  ...salesList,
  where: [isNotDeleted, sql`p.report_to_id = ${id}`],
})

export const clientsOfSalesList = (id: number): ListDefinition => ({
  from: sql`client c join state s on s.id = c.state_id`,
  where: [
    sql`c.deleted_at is null`,
    sql`(c.service_person_id = ${id} or exists (select from client_sales x where x.client_id = c.id and x.sales_person_id = ${id}))`,
  ],
  fields: {
    id: sql`c.id`,
    legacyClientId: sql`c.legacy_client_id`,
    clientName: sql`c.name`,
    clientCity: sql`c.city`,
    clientState: sql`s.long_name`,
    clientPhone: sql`c.phone`,
  },
  filter: {},
  defaultOrder: sql`c.id`,
  key: sql`c.id`,
})

export const findSalesPerson = (db: Db, id: number) => findRow<SalesPerson>(db, salesList, id)

/** Serializes changes of the reporting lines: two changes that are each harmless could close a cycle together. */
export const lockReportingLines = async (trx: Trx) => {
  await sql`select pg_advisory_xact_lock(hashtext('sales_person.report_to_id'))`.execute(trx)
}

/** Whether the person exists. Locked against deletion until the transaction ends. */
export const lockManager = async (trx: Trx, id: number): Promise<boolean> => {
  const found = await trx
    .selectFrom('sales_person')
    .select('id')
    .where('id', '=', bigint(id))
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}

export const isInTeam = async (db: Db, leaderId: number, id: number): Promise<boolean> => {
  const { rows } = await sql`select 1 where ${id}::bigint in (${team(sql`${leaderId}::bigint`)})`.execute(db)
  return rows.length > 0
}

export const isRepCodeTaken = async (db: Db, code: string, exceptId: number): Promise<boolean> => {
  const found = await db
    .selectFrom('sales_person')
    .select('id')
    .where((eb) => eb(eb.fn<string>('upper', ['rep_code']), '=', sql<string>`upper(${code})`))
    .where('id', '<>', exceptId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

export const nextSalesPersonId = async (trx: Trx): Promise<number> => {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('sales_person', 'id'))::int as id`.execute(trx)
  return (rows[0] as { id: number }).id
}

export const salesColumns = (input: SalesInput) => ({
  first_name: input.salesFirstName,
  middle_name: input.salesMiddleName,
  last_name: input.salesLastName,
  email: input.salesEmail,
  phone: input.salesPhone,
  title: input.salesTitle,
  report_to_id: input.reportToId,
  company_name: input.salesCompanyName,
  note: input.salesNote,
  type_code: input.salesTypeCode,
})

/** The undeleted clients, staff and users that refer to a person; staff who are deleted in the same call do not count. */
export const countUsesOfSalesPerson = (db: Db, id: number, leavingIds: readonly number[]) =>
  db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('client as c')
        .select(fn.countAll<number>().as('n'))
        .where('c.deleted_at', 'is', null)
        .where(({ eb, or, exists }) =>
          or([
            eb('c.service_person_id', '=', id),
            exists(
              eb
                .selectFrom('client_sales as x')
                .select('x.client_id')
                .whereRef('x.client_id', '=', 'c.id')
                .where('x.sales_person_id', '=', id),
            ),
          ]),
        )
        .$asScalar()
        .as('clients'),
      selectFrom('sales_person')
        .select(fn.countAll<number>().as('n'))
        .where('report_to_id', '=', id)
        .where('deleted_at', 'is', null)
        .where('id', '<>', sql<number>`all(${[...leavingIds]}::bigint[])`)
        .$asScalar()
        .as('staff'),
      selectFrom('app_user')
        .select(fn.countAll<number>().as('n'))
        .where('sales_person_id', '=', id)
        .where('deleted_at', 'is', null)
        .$asScalar()
        .as('users'),
    ])
    .executeTakeFirstOrThrow()
