import { type RangeInput, rangeBands } from '@lis/contract/collaborator-ranges.ts'
import type { Collaborator, CollaboratorInput } from '@lis/contract/collaborators.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { flag01, lookupDescriptionOrCode } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { isClientInScope } from '../lookups/queries.ts'
import { hasNumberPutAside } from '../requisition-record/put-aside.ts'

const alive = sql`c.deleted_at is null`
const optionFields = { id: sql`c.id`, colaName: sql`c.name` }
const optionFilters = { id: isOneOfIds(sql`c.id`, 'id'), colaName: contains(sql`c.name`) }

/** The list of collaborators; one record is the list with one row. */
export const collaboratorList: ListDefinition = {
  from: sql`collaborator c join country on country.id = c.country_id join state on state.id = c.state_id`,
  where: [alive],
  fields: {
    ...optionFields,
    colaAlias: sql`c.alias`,
    colaCountryId: sql`c.country_id`,
    colaCountry: sql`country.long_name`,
    colaStateId: sql`c.state_id`,
    colaState: sql`state.long_name`,
    colaCity: sql`c.city`,
    colaZip: sql`c.zip`,
    colaAddr1: sql`c.addr1`,
    colaAddr2: sql`c.addr2`,
    colaPhone: sql`c.phone`,
    colaEmail: sql`c.email`,
    colaFaxEmail: sql`c.fax_email`,
    fax: sql`c.fax`,
    colaNote: sql`c.note`,
    colaOfficeContact: sql`c.office_contact`,
    cola2ndContact: sql`c.second_contact`,
    colaLabDirector: sql`c.lab_director`,
    colaLabNpi: sql`c.lab_npi`,
    colaTransmitMethodCode: sql`c.transmit_method_code`,
    colaTransmitMethodDesc: lookupDescriptionOrCode('TRANSMITMETHOD', sql`c.transmit_method_code`),
    colaBillTypeCode: sql`c.bill_type_code`,
    colaBillTypeDesc: lookupDescriptionOrCode('BILLTYPE', sql`c.bill_type_code`),
    colaDeliveryNote: sql`c.delivery_note`,
    reportNameFormatCode: sql`c.report_name_format_code`,
    reportNameFormatDesc: lookupDescriptionOrCode('REPORTNAMEFORMAT', sql`c.report_name_format_code`),
    templateFilename: sql`c.template_filename`,
    reportDeliverToCode: sql`c.report_deliver_to_code`,
    reportDeliverToDesc: lookupDescriptionOrCode('REPORTDELIVERTO', sql`c.report_deliver_to_code`),
    idPrintOutCode: sql`c.id_printout_code`,
    idPrintoutDesc: lookupDescriptionOrCode('IDPRINTOUT', sql`c.id_printout_code`),
    isLisInterface: flag01(sql`c.is_lis_interface`),
    isOrderIdAvailable: flag01(sql`c.is_order_id_available`),
    colaPortalPrefCode: sql`c.portal_pref_code`,
    colaPortalPrefDesc: lookupDescriptionOrCode('PORTALPREF', sql`c.portal_pref_code`),
    version: sql`c.version`,
  },
  sort: { colaName: sql`lower(c.name)`, colaAlias: sql`lower(c.alias)`, colaEmail: sql`lower(c.email)` },
  filter: {
    ...optionFilters,
    colaAlias: contains(sql`c.alias`),
    colaPhone: contains(sql`c.phone`),
    colaEmail: contains(sql`c.email`),
    search: contains(sql`concat_ws(' ', c.id, c.name, c.alias, c.phone, c.email)`),
  },
  defaultOrder: sql`c.id`,
  key: sql`c.id`,
}

/** What those may choose from who do not maintain collaborators. */
export const collaboratorOptionList = (actor: Actor): ListDefinition => ({
  from: sql`collaborator c`,
  where: [
    alive,
    actor.role === 'COLA'
      ? sql`c.id = ${actor.entityId}`
      : sql`c.id in (select x.collaborator_id from client x where x.deleted_at is null and ${isClientInScope(actor, sql`x.id`)})`,
  ],
  fields: optionFields,
  sort: { colaName: sql`lower(c.name)` },
  filter: { ...optionFilters, search: optionFilters.colaName },
  defaultOrder: sql`c.id`,
  key: sql`c.id`,
})

export const findCollaborator = (db: Db, id: number) => findRow<Collaborator>(db, collaboratorList, id)

/** Takes the row for the length of the transaction. To delete it also keeps off those who are just about to refer to it. */
export const lockCollaborator = async (trx: Trx, id: number, to: 'update' | 'delete') => {
  const strength = to === 'delete' ? sql`for update` : sql`for no key update`
  await sql`select id from collaborator where id = ${id}::bigint ${strength}`.execute(trx)
}

export const collaboratorColumns = (input: CollaboratorInput) => ({
  name: input.colaName,
  alias: input.colaAlias,
  country_id: input.colaCountryId,
  state_id: input.colaStateId,
  city: input.colaCity,
  zip: input.colaZip,
  addr1: input.colaAddr1,
  addr2: input.colaAddr2,
  phone: input.colaPhone,
  email: input.colaEmail,
  fax_email: input.colaFaxEmail,
  fax: input.fax,
  note: input.colaNote,
  office_contact: input.colaOfficeContact,
  second_contact: input.cola2ndContact,
  lab_director: input.colaLabDirector,
  lab_npi: input.colaLabNpi,
  transmit_method_code: input.colaTransmitMethodCode,
  bill_type_code: input.colaBillTypeCode,
  delivery_note: input.colaDeliveryNote,
  report_name_format_code: input.reportNameFormatCode,
  template_filename: input.templateFilename,
  report_deliver_to_code: input.reportDeliverToCode,
  id_printout_code: input.idPrintOutCode,
  is_lis_interface: input.isLisInterface === 1,
  is_order_id_available: input.isOrderIdAvailable === 1,
  portal_pref_code: input.colaPortalPrefCode,
})

export const isNameTaken = async (db: Db, name: string, besides: number | null): Promise<boolean> => {
  const { rows } = await sql`select 1 from collaborator
    where lower(name) = lower(${name}) and id is distinct from ${besides}::bigint and deleted_at is null`.execute(db)
  return rows.length > 0
}

/** Whether the country exists, and whether the state lies in it. */
export const findPlace = async (db: Db, countryId: number, stateId: number) => {
  const { rows } = await sql<{ country: boolean; state: boolean }>`
    select exists (select from country where id = ${countryId}::bigint) as country,
      exists (select from state where id = ${stateId}::bigint and country_id = ${countryId}::bigint) as state`.execute(
    db,
  )
  return rows[0] as { country: boolean; state: boolean }
}

export const countUsesOfCollaborator = async (db: Db, id: number) => {
  const { rows } = await sql<{ clients: number; requisitions: number; users: number }>`
    select (select count(*) from client where collaborator_id = ${id} and deleted_at is null) as clients,
      (select count(*) from requisition_list where collaborator_id = ${id}) as requisitions,
      (select count(*) from app_user where collaborator_id = ${id} and deleted_at is null) as users`.execute(db)
  return rows[0] as { clients: number; requisitions: number; users: number }
}

// ── own reference ranges ────────────────────────────────────────────────────────────────────────────────────────────

const columnOf = (wireName: string) =>
  wireName
    .slice('cola'.length)
    .replace(/(?!^)[A-Z]/g, '_$&')
    .toLowerCase()
const limitNames = rangeBands.flatMap(({ name }) => [`${name}Lo`, `${name}Hi`] as const)

export const rangeList = (collaboratorId: number): ListDefinition => ({
  from: sql`collaborator_test_range r join test t on t.id = r.test_id`,
  where: [sql`r.deleted_at is null`, sql`r.collaborator_id = ${collaboratorId}::bigint`],
  fields: {
    id: sql`r.id`,
    testId: sql`t.id`,
    testCode: sql`t.code`,
    testDesc: sql`t.description`,
    colaSigDigits: sql`r.significant_digits`,
    units: sql`r.unit`,
    ...Object.fromEntries(limitNames.map((name) => [name, sql`r.${sql.ref(columnOf(name))}`])),
    version: sql`r.version`,
  },
  filter: {
    id: isOneOfIds(sql`r.id`, 'id'),
    testId: isOneOfIds(sql`t.id`, 'testId'),
    testCode: contains(sql`t.code`),
    testDesc: contains(sql`t.description`),
  },
  defaultOrder: sql`t.sort_order`,
  key: sql`r.id`,
})

/** Limits stay text up to the database, which keeps them as exact decimals. */
export const rangeColumns = (range: RangeInput) => ({
  test_id: range.testId,
  significant_digits: range.colaSigDigits,
  unit: range.units,
  ...Object.fromEntries(limitNames.map((name) => [columnOf(name), range[name]])),
})

export interface TestWithRange {
  id: number
  code: string
  /** The catalogue's. */
  unit: string | null
  rangeId: number | null
  ownUnit: string | null
}

/** The tests of these ids that exist, and whether the collaborator has a range for each already. */
export const findTestsWithRange = async (db: Db, collaboratorId: number, ids: readonly number[]) => {
  const { rows } = await sql<TestWithRange>`
    select t.id, t.code, t.unit, r.id as "rangeId", r.unit as "ownUnit" from test t
    left join collaborator_test_range r on r.test_id = t.id and r.collaborator_id = ${collaboratorId} and r.deleted_at is null
    where t.id = any(${ids}::bigint[]) and t.deleted_at is null`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Also of what is deleted: it may be restored, and its numbers must not come back in another unit. Living and deleted requisitions are
 * asked for apart, because each has an index for it, and all of them together have none by collaborator.
 */
export const hasNumericResult = async (db: Db, collaboratorId: number, testId: number): Promise<boolean> => {
  const isNumeric = sql`x.test_id = ${testId} and x.deleted_at is null and (x.result_num is not null or (${hasNumberPutAside}))`
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from requisition_list l join requisition_test x on x.requisition_id = l.requisition_id
        where l.collaborator_id = ${collaboratorId} and ${isNumeric})
      or exists (select from requisition r join requisition_test x on x.requisition_id = r.id
        where r.deleted_at is not null and r.collaborator_id = ${collaboratorId} and ${isNumeric}) as found`.execute(db)
  return rows[0]?.found === true
}
