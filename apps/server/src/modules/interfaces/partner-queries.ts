import type { InterfacePartner, Orderable, PartnerCode } from '@lis/contract/interfaces.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { ownerOf } from '../clients/owner.ts'

const recent = (condition: Sql) =>
  sql`(select count(*)::int from interface_message m where m.partner_id = p.id and ${condition})`
const lastDay = sql`m.received_at > now() - interval '24 hours'`

const owner = ownerOf('p')

export const partnerList: ListDefinition = {
  from: sql`interface_partner p ${owner.joins}`,
  where: [sql`p.deleted_at is null`],
  fields: {
    id: sql`p.id`,
    name: sql`p.name`,
    kind: sql`p.kind`,
    ...owner.fields,
    isActive: flag01(sql`p.is_active`),
    isTest: flag01(sql`p.is_test`),
    autoAccept: flag01(sql`p.auto_accept`),
    sendingApp: sql`p.sending_app`,
    sendingFacility: sql`p.sending_facility`,
    resultUrl: sql`p.result_url`,
    apiClientId: sql`p.api_client_id`,
    version: sql`p.version`,
    inCount: recent(sql`m.direction = 'IN' and ${lastDay}`),
    outCount: recent(sql`m.direction = 'OUT' and ${lastDay}`),
    heldCount: recent(sql`m.state = 'HELD'`),
    failedCount: recent(sql`m.state = 'FAILED'`),
    retryingCount: recent(sql`m.state = 'RETRYING'`),
    lastMessageDate: sql`(select m.received_at from interface_message m where m.partner_id = p.id order by m.id desc limit 1)`,
  },
  sort: { name: sql`lower(p.name)`, ...owner.sort },
  filter: {
    id: isOneOfIds(sql`p.id`, 'id'),
    name: contains(sql`p.name`),
    kind: isOneOf(sql`p.kind`),
    ...owner.filter,
    isActive: isOneOf(flag01(sql`p.is_active`)),
    isTest: isOneOf(flag01(sql`p.is_test`)),
    autoAccept: isOneOf(flag01(sql`p.auto_accept`)),
    sendingApp: contains(sql`p.sending_app`),
    sendingFacility: contains(sql`p.sending_facility`),
    search: contains(sql`concat_ws(' ', p.name, c.name, o.name, p.sending_app, p.sending_facility)`),
  },
  defaultOrder: sql`lower(p.name)`,
  key: sql`p.id`,
}

export const findPartner = (db: Db, id: number) => findRow<InterfacePartner>(db, partnerList, id)

/** The data of a partner that the processing of its messages needs. */
export interface Partner {
  id: number
  name: string
  kind: 'HL7' | 'FHIR'
  client_id: number | null
  collaborator_id: number | null
  is_active: boolean
  is_test: boolean
  auto_accept: boolean
}

const partnerColumns = sql`id, name, kind, client_id, collaborator_id, is_active, is_test, auto_accept`

/** The active partner that sends under this application and facility. */
export const findSender = async (db: Db, app: string, facility: string): Promise<Partner | null> => {
  const { rows } = await sql<Partner>`select ${partnerColumns} from interface_partner
    where sending_app = ${app} and sending_facility = ${facility} and is_active and deleted_at is null and kind = 'HL7'`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Includes deleted partners, whose messages are still processed. */
export const getPartnerById = async (db: Db, id: number): Promise<Partner> => {
  const { rows } = await sql<Partner>`select ${partnerColumns} from interface_partner where id = ${id}::int`.execute(db)
  return rows[0] as Partner
}

export const listCodes = async (db: Db, partnerId: number): Promise<PartnerCode[]> => {
  const { rows } = await sql<PartnerCode>`
    select m.code, m.test_id as "testId", t.code as "testCode", m.panel_id as "panelId", n.code as "panelCode"
    from interface_code m left join test t on t.id = m.test_id left join panel n on n.id = m.panel_id
    where m.partner_id = ${partnerId}::bigint order by m.code`.execute(db)
  return rows
}

export const listOrderables = async (db: Db): Promise<Orderable[]> => {
  const { rows } = await sql<Orderable>`
    select id as "testId", null::int as "panelId", code, description as name from test where deleted_at is null and not is_calculated
    union all
    select null, id, code, description from panel where deleted_at is null
    order by code, "panelId" nulls last`.execute(db)
  return rows
}
