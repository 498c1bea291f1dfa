import type { SalesInput, SalesPerson } from '@lis/contract/sales.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
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
const alive = sql`p.deleted_at is null`
const sort = { salesFirstName: sql`lower(p.first_name)`, salesLastName: sql`lower(p.last_name)` }

/** The list of sales people; page, total and export are made from it, and one record is the list with one row. */
export const salesList: ListDefinition = {
  from: sql`sales_person p left join sales_person boss on boss.id = p.report_to_id and boss.deleted_at is null
    left join lov type on type.type_code = 'SALESTYPE' and type.code = p.type_code`,
  where: [alive],
  fields: {
    ...optionFields,
    salesMiddleName: sql`p.middle_name`,
    salesEmail: sql`p.email`,
    salesPhone: sql`p.phone`,
    salesTitle: sql`p.title`,
    reportToId: sql`boss.id`,
    reportTo: sql`boss.first_name || ' ' || boss.last_name`,
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

/** What those may choose from who do not maintain sales people: names and codes, nothing to reach a person by. */
export const salesOptionList = (actor: Actor): ListDefinition => ({
  from: sql`sales_person p`,
  where: [alive, isInScope(actor)],
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

/** The person and everyone below, however deep; `union` ends circles. */
const team = (id: Sql): Sql => sql`
  with recursive team as (
    select id from sales_person where id = ${id} and deleted_at is null
    union select s.id from sales_person s join team on s.report_to_id = team.id where s.deleted_at is null
  ) select id from team`

export const staffList = (id: number): ListDefinition => ({
  ...salesList,
  where: [alive, sql`p.report_to_id = ${id}`],
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

/** Takes the row for the length of the transaction. To delete it also keeps off those who are just about to refer to it. */
export const lockSalesPerson = async (trx: Trx, id: number, to: 'update' | 'delete') => {
  const strength = to === 'delete' ? sql`for update` : sql`for no key update`
  await sql`select id from sales_person where id = ${id}::bigint ${strength}`.execute(trx)
}

/** Who changes lines of reporting queues here: two changes that are each harmless could close a circle together. */
export const lockReportingLines = async (trx: Trx) => {
  await sql`select pg_advisory_xact_lock(hashtext('sales_person.report_to_id'))`.execute(trx)
}

/** Whether the person is there. Held: who deletes it meanwhile comes before this, or finds its staff. */
export const lockManager = async (trx: Trx, id: number): Promise<boolean> => {
  const { rows } =
    await sql`select 1 from sales_person where id = ${id}::bigint and deleted_at is null for key share`.execute(trx)
  return rows.length > 0
}

export const isInTeam = async (db: Db, leaderId: number, id: number): Promise<boolean> => {
  const { rows } = await sql`select 1 where ${id}::bigint in (${team(sql`${leaderId}::bigint`)})`.execute(db)
  return rows.length > 0
}

export const isRepCodeTaken = async (db: Db, code: string, besides: number): Promise<boolean> => {
  const { rows } = await sql`
    select 1 from sales_person where upper(rep_code) = upper(${code}) and id <> ${besides} and deleted_at is null`.execute(
    db,
  )
  return rows.length > 0
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

/** What still needs these people: living clients, staff and accounts; people who leave together do not hold each other. */
export const countUsesOfSalesPerson = async (db: Db, id: number, leaving: readonly number[]) => {
  const { rows } = await sql<{ clients: number; staff: number; users: number }>`
    select (select count(*) from client c where c.deleted_at is null and (c.service_person_id = ${id}
        or exists (select from client_sales x where x.client_id = c.id and x.sales_person_id = ${id}))) as clients,
      (select count(*) from sales_person where report_to_id = ${id} and deleted_at is null and id <> all(${leaving}::bigint[])) as staff,
      (select count(*) from app_user where sales_person_id = ${id} and deleted_at is null) as users`.execute(db)
  return rows[0] as { clients: number; staff: number; users: number }
}
