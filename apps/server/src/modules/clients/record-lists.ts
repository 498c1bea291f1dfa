import { sql } from 'kysely'
import { flag01 } from '../../platform/db/expressions.ts'
import { rowsAsOf } from '../../platform/db/rows-as-of.ts'
import { endOfHomeDay, type HomeDay } from '../../platform/home-zone.ts'
import { contains, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { withNpiFlag } from '../physicians/queries.ts'

// The lists of one client's records. The caller has checked that the actor may see the client.

const optionFields = {
  id: sql`p.id`,
  clientPhysId: sql`cp.id`,
  physFirstName: sql`p.first_name`,
  physLastName: sql`p.last_name`,
}
const optionFilters = {
  id: isOneOfIds(sql`p.id`, 'id'),
  physFirstName: contains(sql`p.first_name`),
  physLastName: contains(sql`p.last_name`),
  search: contains(sql`(p.first_name || ' ' || p.last_name)`),
}
const physicianSort = { physFirstName: sql`lower(p.first_name)`, physLastName: sql`lower(p.last_name)` }

export const physicianOptionsOfClient = (clientId: number): ListDefinition => ({
  from: sql`client_physician cp join physician p on p.id = cp.physician_id`,
  where: [sql`cp.client_id = ${clientId}::bigint`, sql`cp.deleted_at is null`, sql`p.deleted_at is null`],
  fields: optionFields,
  sort: physicianSort,
  filter: optionFilters,
  defaultOrder: sql`p.id`,
  key: sql`p.id`,
})

export const physiciansOfClient = (clientId: number): ListDefinition => ({
  ...physicianOptionsOfClient(clientId),
  fields: {
    ...optionFields,
    physMiddleName: sql`p.middle_name`,
    physTitle: sql`p.title`,
    npiNumber: sql`p.npi_number`,
    ptanNumber: sql`p.ptan_number`,
  },
  filter: { ...optionFilters, npiNumber: contains(sql`p.npi_number`) },
  finish: withNpiFlag,
})

export const labsOfClient = (clientId: number): ListDefinition => ({
  from: sql`client_lab cl join lab l on l.id = cl.lab_id`,
  where: [sql`cl.client_id = ${clientId}::bigint`, sql`l.deleted_at is null`],
  fields: { id: sql`l.id`, labCode: sql`l.lab_code`, labName: sql`l.name` },
  filter: { id: isOneOfIds(sql`l.id`, 'id'), labCode: contains(sql`l.lab_code`), labName: contains(sql`l.name`) },
  defaultOrder: sql`l.id`,
  key: sql`l.id`,
})

export const eventsOfClient = (clientId: number): ListDefinition => ({
  from: sql`client_event e join program p on p.id = e.program_id`,
  where: [sql`e.client_id = ${clientId}::bigint`, sql`e.deleted_at is null`],
  fields: {
    id: sql`e.id`,
    clientId: sql`e.client_id`,
    eventName: sql`e.name`,
    programId: sql`e.program_id`,
    programName: sql`p.name`,
    version: sql`e.version`,
  },
  sort: { eventName: sql`lower(e.name)` },
  filter: {
    id: isOneOfIds(sql`e.id`, 'id'),
    eventName: contains(sql`e.name`),
    programId: isOneOfIds(sql`e.program_id`, 'programId'),
  },
  defaultOrder: sql`e.id`,
  key: sql`e.id`,
})

export const salesOfClient = (clientId: number): ListDefinition => ({
  from: sql`client_sales x join sales_person s on s.id = x.sales_person_id`,
  where: [sql`x.client_id = ${clientId}::bigint`],
  fields: {
    id: sql`s.id`,
    salesRepCode: sql`s.rep_code`,
    salesFirstName: sql`s.first_name`,
    salesMiddleName: sql`s.middle_name`,
    salesLastName: sql`s.last_name`,
    salesPhone: sql`s.phone`,
    isPrimary: flag01(sql`x.is_primary`),
  },
  filter: { id: isOneOfIds(sql`s.id`, 'id') },
  defaultOrder: sql`x.is_primary desc`,
  key: sql`s.id`,
})

/** The accounts that belong to the client (CLI-G13: `lastLoginDate` is the user's last logon). */
export const usersOfClient = (clientId: number): ListDefinition => ({
  from: sql`app_user u`,
  where: [sql`u.client_id = ${clientId}::bigint`, sql`u.deleted_at is null`, sql`not u.is_api_client`],
  fields: {
    id: sql`u.id`,
    userName: sql`u.user_name`,
    userEmail: sql`u.email`,
    lastLoginDate: sql`u.last_logon_at`,
  },
  filter: { id: isOneOfIds(sql`u.id`, 'id') },
  defaultOrder: sql`u.id`,
  key: sql`u.id`,
})

export const documentsOfClient = (clientId: number, more: Record<string, Sql> = {}): ListDefinition => ({
  from: sql`client_document d join stored_file f on f.id = d.file_id left join app_user u on u.id = d.created_by`,
  where: [sql`d.client_id = ${clientId}::bigint`, sql`d.deleted_at is null`],
  fields: {
    id: sql`d.id`,
    docOriginalFileName: sql`f.original_name`,
    docCreateDate: sql`d.created_at`,
    docCreateByName: sql`u.first_name || ' ' || u.last_name`,
    ...more,
  },
  filter: { id: isOneOfIds(sql`d.id`, 'id') },
  defaultOrder: sql`d.created_at desc`,
  key: sql`d.id`,
})

export const pricesOfClient = (clientId: number, asOf?: HomeDay): ListDefinition => ({
  from: sql`${rowsAsOf('client_test_price', 'x', endOfHomeDay(asOf), clientId)} join test t on t.id = x.test_id`,
  where: [sql`x.client_id = ${clientId}::bigint`, sql`x.deleted_at is null`],
  fields: {
    id: sql`x.id`,
    testId: sql`t.id`,
    testCode: sql`t.code`,
    testDesc: sql`t.description`,
    price: sql`x.price`,
    currencyCode: sql`x.currency_code`,
    priceComment: sql`x.price_comment`,
    version: sql`x.version`,
  },
  filter: {
    id: isOneOfIds(sql`x.id`, 'id'),
    testId: isOneOfIds(sql`t.id`, 'testId'),
    testCode: contains(sql`t.code`),
    currencyCode: isOneOf(sql`x.currency_code`),
  },
  defaultOrder: sql`t.sort_order`,
  key: sql`x.id`,
})
