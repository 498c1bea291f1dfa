import { type Client, type ClientFields, type PossibleDuplicateClient, unknownTimeZone } from '@lis/contract/clients.ts'
import { type Expression, sql } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId, bigint, flag01 } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { isClientInScope } from '../lookups/queries.ts'

const visible = (actor: Actor) => [sql`c.deleted_at is null`, isClientInScope(actor, sql`c.id`)]
const optionFields = { id: sql`c.id`, legacyClientId: sql`c.legacy_client_id`, clientName: sql`c.name` }
const optionFilters = {
  id: isOneOfIds(sql`c.id`, 'id'),
  legacyClientId: contains(sql`c.legacy_client_id`),
  clientName: contains(sql`c.name`),
  colaId: isOneOfIds(sql`c.collaborator_id`, 'colaId'),
}

/** The list of clients, with the columns of both layouts; page, total and export use it. */
export const clientList = (actor: Actor): ListDefinition => ({
  from: sql`client c join country on country.id = c.country_id join state on state.id = c.state_id
    join collaborator cola on cola.id = c.collaborator_id
    left join client_sales cs on cs.client_id = c.id and cs.is_primary left join sales_person sp on sp.id = cs.sales_person_id`,
  where: visible(actor),
  fields: {
    ...optionFields,
    clientPhone: sql`c.phone`,
    clientFaxEmail: sql`c.fax_email`,
    clientCountry: sql`country.long_name`,
    clientCity: sql`c.city`,
    clientState: sql`state.long_name`,
    clientZip: sql`c.zip`,
    salesRep: sql`sp.first_name || ' ' || sp.last_name`,
    colaName: sql`cola.name`,
    clientTz: sql`c.zone`,
    version: sql`c.version`,
  },
  sort: { clientName: sql`sort_key(c.name)`, clientCity: sql`sort_key(c.city)`, salesRep: sql`lower(sp.last_name)` },
  filter: {
    ...optionFilters,
    clientPhone: contains(sql`c.phone`),
    clientCity: contains(sql`c.city`),
    clientZip: contains(sql`c.zip`),
    clientStateId: isOneOfIds(sql`c.state_id`, 'clientStateId'),
    clientCountryId: isOneOfIds(sql`c.country_id`, 'clientCountryId'),
    salesId: (value) =>
      sql`exists (select from client_sales x where x.client_id = c.id and ${isOneOfIds(sql`x.sales_person_id`, 'salesId')(value)})`,
    isTzMissing: isOneOf(flag01(sql`c.zone = ${unknownTimeZone}`)),
    search: contains(sql`concat_ws(' ', c.legacy_client_id, c.name, c.phone, c.city, c.zip)`),
  },
  defaultOrder: sql`c.id`,
  key: sql`c.id`,
})

/** The options of users who may not open clients. */
export const clientOptionList = (actor: Actor): ListDefinition => ({
  from: sql`client c`,
  where: visible(actor),
  fields: optionFields,
  sort: { clientName: sql`sort_key(c.name)` },
  filter: { ...optionFilters, search: contains(sql`(c.legacy_client_id || ' ' || c.name)`) },
  defaultOrder: sql`c.id`,
  key: sql`c.id`,
})

const salesOf = (select: Sql) => sql`
  select ${select} from client_sales x join sales_person s on s.id = x.sales_person_id where x.client_id = c.id`
const bySales = sql`x.is_primary desc, s.id`
const labsOf = (select: Sql) =>
  sql`select ${select} from client_lab x join lab l on l.id = x.lab_id where x.client_id = c.id`

/** One client with all its fields. */
const clientRecord = (actor: Actor): ListDefinition => {
  const list = clientList(actor)
  return {
    ...list,
    fields: {
      ...list.fields,
      clientExtId: sql`c.ext_id`,
      clientAddr1: sql`c.addr1`,
      clientAddr2: sql`c.addr2`,
      clientCountryId: sql`c.country_id`,
      clientStateId: sql`c.state_id`,
      clientEmail: sql`c.email`,
      clientDeliveryNote: sql`c.delivery_note`,
      clientNote: actor.role === 'CLNT' ? sql`case when c.is_note_visible then c.note end` : sql`c.note`,
      isNoteVisible: flag01(sql`c.is_note_visible`),
      colaId: sql`c.collaborator_id`,
      serviceId: sql`c.service_person_id`,
      serviceName: sql`(select first_name || ' ' || last_name from sales_person where id = c.service_person_id)`,
      salesIds: sql`array(${salesOf(sql`s.id`)} order by ${bySales})`,
      salesNames: sql`(${salesOf(sql`string_agg(s.first_name || ' ' || s.last_name, ', ' order by ${bySales})`)})`,
      salesJson: sql`json_build_object('salesReps', (${salesOf(
        sql`coalesce(json_agg(json_build_object('salesId', s.id, 'salesRepCode', s.rep_code) order by ${bySales}), '[]')`,
      )}))::text`,
      labIds: sql`array(${labsOf(sql`l.id`)} order by l.id)`,
      labNames: sql`(${labsOf(sql`string_agg(l.name, ', ' order by l.id)`)})`,
      clientReqTypeCode: sql`c.req_type_code`,
      clientReqTypeDesc: lookupDescriptionOrCode('CLIENTREQTYPE', sql`c.req_type_code`),
      clientTransmitMethodCode: sql`c.transmit_method_code`,
      clientTransmitMethodDesc: lookupDescriptionOrCode('TRANSMITMETHOD', sql`c.transmit_method_code`),
      clientBillTypeCode: sql`c.bill_type_code`,
      clientBillTypeDesc: lookupDescriptionOrCode('BILLTYPE', sql`c.bill_type_code`),
      clientName2: sql`c.name2`,
      clientPhone2: sql`c.phone2`,
      clientEmail2: sql`c.email2`,
      isContractPhleb: flag01(sql`c.is_contract_phleb`),
      clientPortalPrefCode: sql`c.portal_pref_code`,
      clientPortalPrefDesc: lookupDescriptionOrCode('PORTALPREF', sql`c.portal_pref_code`),
      isPortalOrder: flag01(sql`c.is_portal_order`),
    },
  }
}

export const findClient = (db: Db, actor: Actor, id: number) => findRow<Client>(db, clientRecord(actor), id)

/** Whether the client exists and is in scope. */
export const isClientVisible = async (db: Db, actor: Actor, id: number): Promise<boolean> => {
  const found = await db
    .selectFrom('client as c')
    .select('c.id')
    .where('c.id', '=', bigint(id))
    .where('c.deleted_at', 'is', null)
    .where(isClientInScope(actor, sql.ref('c.id')))
    .executeTakeFirst()
  return found !== undefined
}

export const nextClientId = async (trx: Trx): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('client', 'id'))::int as id`.execute(
    trx,
  )
  return (rows[0] as { id: number }).id
}

export const clientColumns = (input: Omit<ClientFields, 'salesIds' | 'labIds' | 'clientTz' | 'legacyClientId'>) => ({
  name: input.clientName,
  ext_id: input.clientExtId,
  addr1: input.clientAddr1,
  addr2: input.clientAddr2,
  country_id: input.clientCountryId,
  city: input.clientCity,
  state_id: input.clientStateId,
  zip: input.clientZip,
  phone: input.clientPhone,
  email: input.clientEmail,
  fax_email: input.clientFaxEmail,
  delivery_note: input.clientDeliveryNote,
  note: input.clientNote,
  is_note_visible: input.isNoteVisible === 1,
  collaborator_id: input.colaId,
  service_person_id: input.serviceId,
  req_type_code: input.clientReqTypeCode,
  transmit_method_code: input.clientTransmitMethodCode,
  bill_type_code: input.clientBillTypeCode,
  name2: input.clientName2,
  phone2: input.clientPhone2,
  email2: input.clientEmail2,
  is_contract_phleb: input.isContractPhleb === 1,
  portal_pref_code: input.clientPortalPrefCode,
  is_portal_order: input.isPortalOrder === 1,
})

export interface Place {
  country: string
  state: { code: string; name: string } | null
}

/** The country by its two letters, and the state if it belongs to it; undefined without such a country. */
export const findPlace = (db: Db, countryId: number, stateId: number): Promise<Place | undefined> =>
  db
    .selectFrom('country')
    .select((eb) => [
      'country.iso2 as country',
      jsonObjectFrom(
        eb
          .selectFrom('state as s')
          .select(['s.code', 's.long_name as name'])
          .where('s.id', '=', bigint(stateId))
          .whereRef('s.country_id', '=', 'country.id'),
      ).as('state'),
    ])
    .where('country.id', '=', bigint(countryId))
    .executeTakeFirst()

/** Finds the ids without an undeleted record. The other records are locked against deletion until the transaction ends. */
export const lockAndFindMissingIds = async (
  trx: Trx,
  table: 'collaborator' | 'sales_person' | 'lab',
  ids: readonly number[],
) => {
  if (ids.length === 0) return []
  const rows = await trx
    .selectFrom(table)
    .select('id')
    .where('id', '=', anyId(ids))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return ids.filter((id) => !rows.some((row) => row.id === id))
}

/** A name as it is compared: without case, accents, spaces and punctuation, with letters of every alphabet. */
const comparable = (name: Expression<unknown>) =>
  sql<string>`regexp_replace(sort_key(${name}), '[[:punct:][:space:]]+', '', 'g')`

/** The client with this Client ID, and whether this name is its current or a former one. */
export const findClientByLegacyId = (db: Db, legacyId: string, name: string) => {
  const wanted = comparable(sql`${name}::text`)
  return db
    .selectFrom('client as c')
    .select((eb) => [
      'c.name as clientName',
      eb
        .or([
          eb(wanted, '=', comparable(eb.ref('c.name'))),
          eb.exists(
            eb
              .selectFrom('audit_entry as a')
              .select('a.id')
              .whereRef('a.client_id', '=', 'c.id')
              .where('a.requisition_id', 'is', null)
              .where('a.entity', '=', sql.lit('client'))
              .where((audit) =>
                audit(wanted, 'in', [
                  comparable(sql`${audit.ref('a.old_data')} ->> 'clientName'`),
                  comparable(sql`${audit.ref('a.new_data')} ->> 'clientName'`),
                ]),
              ),
          ),
        ])
        .$castTo<boolean>()
        .as('isSame'),
    ])
    .where((eb) => eb(eb.fn<string>('upper', ['c.legacy_client_id']), '=', sql<string>`upper(${legacyId})`))
    .where('c.deleted_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Clients of the same name and zip, whatever the case, accents and punctuation; of US zips the first five digits count. Locks the zip
 * until the transaction ends, so that the second of two people who enter the same client at once is asked.
 */
export const lockAndFindDuplicates = async (
  trx: Trx,
  name: string,
  zip: string,
  exceptId: number,
): Promise<PossibleDuplicateClient[]> => {
  const shortZip = zip.replace(/^(\d{5})-?\d{4}$/, '$1')
  await sql`select pg_advisory_xact_lock(hashtext(${`client.zip:${shortZip.toLowerCase()}`}))`.execute(trx)
  return trx
    .selectFrom('client as c')
    .innerJoin('state as s', 's.id', 'c.state_id')
    .select(['c.id', 'c.legacy_client_id as legacyClientId', 'c.name as clientName', 'c.addr1 as clientAddr1'])
    .select(['c.city as clientCity', 's.long_name as clientState', 'c.zip as clientZip', 'c.phone as clientPhone'])
    .where('c.deleted_at', 'is', null)
    .where('c.id', '<>', exceptId)
    .where((eb) => eb(comparable(eb.ref('c.name')), '=', comparable(sql`${name}::text`)))
    .where(
      (eb) => sql`lower(regexp_replace(${eb.ref('c.zip')}, '^(\\d{5})-?\\d{4}$', '\\1'))`.$castTo<string>(),
      '=',
      sql<string>`lower(${shortZip})`,
    )
    .orderBy('c.id')
    .limit(sql.lit(20))
    .execute()
}

export const countUsesOfClient = (db: Db, id: number) =>
  db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('requisition_list')
        .select(fn.countAll<number>().as('n'))
        .where('client_id', '=', id)
        .$asScalar()
        .as('requisitions'),
      selectFrom('requisition')
        .select(fn.countAll<number>().as('n'))
        .where('copy_to_client_id', '=', id)
        .where('client_id', '<>', id)
        .where('deleted_at', 'is', null)
        .$asScalar()
        .as('copies'),
      selectFrom('app_user')
        .select(fn.countAll<number>().as('n'))
        .where('client_id', '=', id)
        .where('deleted_at', 'is', null)
        .$asScalar()
        .as('users'),
    ])
    .executeTakeFirstOrThrow()

export const setLabs = async (trx: Trx, id: number, labIds: readonly number[]) => {
  await sql`delete from client_lab where client_id = ${id} and lab_id <> all(${labIds}::int[])`.execute(trx)
  await sql`insert into client_lab (client_id, lab_id) select ${id}, unnest(${labIds}::int[]) on conflict do nothing`.execute(
    trx,
  )
}

/** The first is the primary one, which lists show. The old primary is reset before the new one is set: only one may be. */
export const setSales = async (trx: Trx, id: number, salesIds: readonly number[]) => {
  const [first = null] = salesIds
  await sql`delete from client_sales where client_id = ${id} and sales_person_id <> all(${salesIds}::int[])`.execute(
    trx,
  )
  await sql`update client_sales set is_primary = false
    where client_id = ${id} and is_primary and sales_person_id is distinct from ${first}::int`.execute(trx)
  await sql`insert into client_sales (client_id, sales_person_id, is_primary)
    select ${id}, x, x = ${first}::int from unnest(${salesIds}::int[]) x
    on conflict (client_id, sales_person_id) do update set is_primary = excluded.is_primary
    where client_sales.is_primary <> excluded.is_primary`.execute(trx)
}
