import { type RangeInput, rangeBands } from '@lis/contract/collaborator-ranges.ts'
import type { Collaborator, CollaboratorInput } from '@lis/contract/collaborators.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { anyId, bigint, flag01 } from '../../platform/db/expressions.ts'
import { rowsAsOf } from '../../platform/db/rows-as-of.ts'
import { endOfHomeDay, type HomeDay } from '../../platform/home-zone.ts'
import { contains, findRow, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { isClientInScope } from '../lookups/queries.ts'
import { hasNumberPutAside } from '../requisition-record/put-aside.ts'

const isNotDeleted = sql`c.deleted_at is null`
const optionFields = { id: sql`c.id`, colaName: sql`c.name` }
const optionFilters = { id: isOneOfIds(sql`c.id`, 'id'), colaName: contains(sql`c.name`) }

/** The list of collaborators; one record is the list with one row, and its logo. */
export const collaboratorList: ListDefinition = {
  from: sql`collaborator c join country on country.id = c.country_id join state on state.id = c.state_id`,
  where: [isNotDeleted],
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
    reportWording: sql`c.report_wording`,
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

/** The options of users who do not maintain collaborators. */
export const collaboratorOptionList = (actor: Actor): ListDefinition => ({
  from: sql`collaborator c`,
  where: [
    isNotDeleted,
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

const oneCollaborator: ListDefinition = {
  ...collaboratorList,
  fields: {
    ...collaboratorList.fields,
    reportLogo: sql`(select 'data:image/jpeg;base64,' || replace(encode(l.picture, 'base64'), e'\\n', '') from report_logo l where l.id = c.report_logo_id)`,
  },
}

export const findCollaborator = (db: Db, id: number) => findRow<Collaborator>(db, oneCollaborator, id)

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
  report_wording: input.reportWording,
  report_deliver_to_code: input.reportDeliverToCode,
  id_printout_code: input.idPrintOutCode,
  is_lis_interface: input.isLisInterface === 1,
  is_order_id_available: input.isOrderIdAvailable === 1,
  portal_pref_code: input.colaPortalPrefCode,
})

export const isNameTaken = async (db: Db, name: string, exceptId: number | null): Promise<boolean> => {
  const found = await db
    .selectFrom('collaborator')
    .select('id')
    .where((eb) => eb(eb.fn<string>('lower', ['name']), '=', sql<string>`lower(${name})`))
    .where('id', 'is distinct from', bigint(exceptId))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether the country exists, and whether the state belongs to it. */
export const findPlace = (db: Db, countryId: number, stateId: number) =>
  db
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('country').select('id').where('id', '=', bigint(countryId))).as('country'),
      exists(
        selectFrom('state').select('id').where('id', '=', bigint(stateId)).where('country_id', '=', bigint(countryId)),
      ).as('state'),
    ])
    .executeTakeFirstOrThrow()

export const countUsesOfCollaborator = (db: Db, id: number) =>
  db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('client')
        .select(fn.countAll<number>().as('n'))
        .where('collaborator_id', '=', id)
        .where('deleted_at', 'is', null)
        .$asScalar()
        .as('clients'),
      selectFrom('requisition_list')
        .select(fn.countAll<number>().as('n'))
        .where('collaborator_id', '=', id)
        .$asScalar()
        .as('requisitions'),
      selectFrom('app_user')
        .select(fn.countAll<number>().as('n'))
        .where('collaborator_id', '=', id)
        .where('deleted_at', 'is', null)
        .$asScalar()
        .as('users'),
    ])
    .executeTakeFirstOrThrow()

// ── own reference ranges ────────────────────────────────────────────────────────────────────────────────────────────

const columnOf = (wireName: string) =>
  wireName
    .slice('cola'.length)
    .replace(/(?!^)[A-Z]/g, '_$&')
    .toLowerCase()
const limitNames = rangeBands.flatMap(({ name }) => [`${name}Lo`, `${name}Hi`] as const)

export const rangeList = (collaboratorId: number, asOf?: HomeDay): ListDefinition => ({
  from: sql`${rowsAsOf('collaborator_test_range', 'r', endOfHomeDay(asOf), collaboratorId)} join test t on t.id = r.test_id`,
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

/** Limits are text up to the database, which stores them as exact decimals. */
export const rangeColumns = (range: RangeInput) => ({
  test_id: range.testId,
  significant_digits: range.colaSigDigits,
  unit: range.units,
  ...Object.fromEntries(limitNames.map((name) => [columnOf(name), range[name]])),
})

export interface TestWithRange {
  id: number
  code: string
  /** Of the test catalogue. */
  unit: string | null
  rangeId: number | null
  ownUnit: string | null
}

/** The undeleted tests of these ids, with the range that the collaborator has for each. */
export const findTestsWithRange = async (
  db: Db,
  collaboratorId: number,
  ids: readonly number[],
): Promise<Map<number, TestWithRange>> => {
  const rows = await db
    .selectFrom('test as t')
    .leftJoin('collaborator_test_range as r', (join) =>
      join.onRef('r.test_id', '=', 't.id').on('r.collaborator_id', '=', collaboratorId).on('r.deleted_at', 'is', null),
    )
    .select(['t.id', 't.code', 't.unit', 'r.id as rangeId', 'r.unit as ownUnit'])
    .where('t.id', '=', anyId(ids))
    .where('t.deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Counts deleted requisitions too: they may be restored, and their numbers must not come back in another unit. Undeleted and deleted
 * ones are two lookups because each has its own index by collaborator.
 */
export const hasNumericResult = async (db: Db, collaboratorId: number, testId: number): Promise<boolean> => {
  const isNumeric = sql<boolean>`x.test_id = ${testId} and x.deleted_at is null and (x.result_num is not null or (${hasNumberPutAside}))`
  const { found } = await db
    .selectNoFrom(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('requisition_list as l')
            .innerJoin('requisition_test as x', 'x.requisition_id', 'l.requisition_id')
            .select('x.id')
            .where('l.collaborator_id', '=', collaboratorId)
            .where(isNumeric),
        ),
        exists(
          selectFrom('requisition as r')
            .innerJoin('requisition_test as x', 'x.requisition_id', 'r.id')
            .select('x.id')
            .where('r.deleted_at', 'is not', null)
            .where('r.collaborator_id', '=', collaboratorId)
            .where(isNumeric),
        ),
      ]).as('found'),
    )
    .executeTakeFirstOrThrow()
  return found === true
}
