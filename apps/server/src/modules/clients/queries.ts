import { type Client, type ClientFields, type PossibleDuplicateClient, unknownTimeZone } from '@lis/contract/clients.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isClientInScope } from '../lookups/queries.ts'

/** A code that has left its list still shows, as itself. */
const described = (type: string, code: Sql) =>
  sql`coalesce((select description from lov where type_code = ${sql.lit(type)} and code = ${code}), ${code})`

const visible = (actor: Actor) => [sql`c.deleted_at is null`, isClientInScope(actor, sql`c.id`)]
const optionFields = { id: sql`c.id`, legacyClientId: sql`c.legacy_client_id`, clientName: sql`c.name` }
const optionFilters = {
  id: isOneOfIds(sql`c.id`, 'id'),
  legacyClientId: contains(sql`c.legacy_client_id`),
  clientName: contains(sql`c.name`),
  colaId: isOneOfIds(sql`c.collaborator_id`, 'colaId'),
}

/** The list of clients, with the columns of both layouts; page, total and export are made from it. */
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
    isTzMissing: isOneOf(sql`case when c.zone = ${unknownTimeZone} then 1 else 0 end`),
    search: contains(sql`concat_ws(' ', c.legacy_client_id, c.name, c.phone, c.city, c.zip)`),
  },
  defaultOrder: sql`c.id`,
  key: sql`c.id`,
})

/** What those may choose from who do not open clients. */
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

/** One client with everything; read as the list with one row. */
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
      isNoteVisible: sql`case when c.is_note_visible then 1 else 0 end`,
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
      clientReqTypeDesc: described('CLIENTREQTYPE', sql`c.req_type_code`),
      clientTransmitMethodCode: sql`c.transmit_method_code`,
      clientTransmitMethodDesc: described('TRANSMITMETHOD', sql`c.transmit_method_code`),
      clientBillTypeCode: sql`c.bill_type_code`,
      clientBillTypeDesc: described('BILLTYPE', sql`c.bill_type_code`),
      clientName2: sql`c.name2`,
      clientPhone2: sql`c.phone2`,
      clientEmail2: sql`c.email2`,
      isContractPhleb: sql`case when c.is_contract_phleb then 1 else 0 end`,
      clientPortalPrefCode: sql`c.portal_pref_code`,
      clientPortalPrefDesc: described('PORTALPREF', sql`c.portal_pref_code`),
    },
  }
}

export const findClient = (db: Db, actor: Actor, id: number) => findRow<Client>(db, clientRecord(actor), id)

/** Whether the client is there and in scope, without reading all of it. */
export const isClientVisible = async (db: Db, actor: Actor, id: number): Promise<boolean> => {
  const where = sql.join([...visible(actor), sql`c.id = ${id}::bigint`], sql` and `)
  const { rows } = await sql`select 1 from client c where ${where}`.execute(db)
  return rows.length > 0
}

/** Takes the row for the length of the transaction. To delete it also keeps off those who are just about to refer to it. */
export const lockClient = async (trx: Trx, id: number, to: 'update' | 'delete') => {
  const strength = to === 'delete' ? sql`for update` : sql`for no key update`
  await sql`select id from client where id = ${id}::bigint ${strength}`.execute(trx)
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
})

export interface Place {
  country: string
  state: { code: string; name: string } | null
}

/** The country by its two letters, and the state if it lies in it; undefined without such a country. */
export const findPlace = async (db: Db, countryId: number, stateId: number): Promise<Place | undefined> => {
  const { rows } = await sql<Place>`
    select country.iso2::text as country,
      (select json_build_object('code', s.code, 'name', s.long_name) from state s
        where s.id = ${stateId}::bigint and s.country_id = country.id) as state
    from country where country.id = ${countryId}::bigint`.execute(db)
  return rows[0]
}

/** Those of the ids that no living record has. The others are held: who deletes one meanwhile comes before this, or finds it in use. */
export const missingIds = async (trx: Trx, table: 'collaborator' | 'sales_person' | 'lab', ids: readonly number[]) => {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where id = any(${ids}::bigint[]) and deleted_at is null order by id for key share`.execute(
    trx,
  )
  return ids.filter((id) => !rows.some((row) => row.id === id))
}

/** A name as it is compared: case, accents, spaces and punctuation do not count. Letters of every alphabet do. */
const bare = (text: Sql) => sql`regexp_replace(sort_key(${text}), '[[:punct:][:space:]]+', '', 'g')`

/** Who has the Client ID, and whether that is the practice of this name, as it is called now or was called before. */
export const findClientOfId = async (db: Db, legacyId: string, name: string) => {
  const { rows } = await sql<{ clientName: string; isSame: boolean }>`
    select c.name as "clientName", ${bare(sql`${name}::text`)} = ${bare(sql`c.name`)} or exists (
      select from audit_entry a where a.client_id = c.id and a.requisition_id is null and a.entity = 'client'
        and ${bare(sql`${name}::text`)} in (${bare(sql`a.old_data ->> 'clientName'`)}, ${bare(sql`a.new_data ->> 'clientName'`)})) as "isSame"
    from client c where upper(c.legacy_client_id) = upper(${legacyId}) and c.deleted_at is null`.execute(db)
  return rows[0]
}

/**
 * Clients of the same name and zip: whatever the case, accents and punctuation, and of US zips the first five digits. Two people who
 * enter the same client at once queue here, so that the second is asked.
 */
export const findTwins = async (
  trx: Trx,
  name: string,
  zip: string,
  besides: number,
): Promise<PossibleDuplicateClient[]> => {
  const near = zip.replace(/^(\d{5})-?\d{4}$/, '$1')
  await sql`select pg_advisory_xact_lock(hashtext(${`client.zip:${near.toLowerCase()}`}))`.execute(trx)
  const { rows } = await sql<PossibleDuplicateClient>`
    select c.id, c.legacy_client_id as "legacyClientId", c.name as "clientName", c.addr1 as "clientAddr1", c.city as "clientCity",
      s.long_name as "clientState", c.zip as "clientZip", c.phone as "clientPhone"
    from client c join state s on s.id = c.state_id
    where c.deleted_at is null and c.id <> ${besides} and ${bare(sql`c.name`)} = ${bare(sql`${name}::text`)}
      and lower(regexp_replace(c.zip, '^(\\d{5})-?\\d{4}$', '\\1')) = lower(${near})
    order by c.id limit 20`.execute(trx)
  return rows
}

export const usesOfClient = async (db: Db, id: number) => {
  const { rows } = await sql<{ requisitions: number; copies: number; users: number }>`
    select (select count(*) from requisition_list where client_id = ${id}) as requisitions,
      (select count(*) from requisition where copy_to_client_id = ${id} and client_id <> ${id} and deleted_at is null) as copies,
      (select count(*) from app_user where client_id = ${id} and deleted_at is null) as users`.execute(db)
  return rows[0] as { requisitions: number; copies: number; users: number }
}

export const setLabs = async (trx: Trx, id: number, labIds: readonly number[]) => {
  await sql`delete from client_lab where client_id = ${id} and lab_id <> all(${labIds}::int[])`.execute(trx)
  await sql`insert into client_lab (client_id, lab_id) select ${id}, unnest(${labIds}::int[]) on conflict do nothing`.execute(
    trx,
  )
}

/** The first is the one that lists show. Its mark is taken away before it is given, since only one may have it. */
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
