import type { InterfaceMessage, MessageState } from '@lis/contract/interfaces.ts'
import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { sql } from 'kysely'
import { requireDays } from '../../platform/date-filter.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalid } from '../../platform/errors.ts'
import {
  type Condition,
  contains,
  escapeLike,
  findRow,
  isOneOf,
  isOneOfIds,
  type ListDefinition,
  type Sql,
} from '../../platform/lists.ts'

const isWithinDays =
  (name: string, expression: Sql): Condition =>
  (value) => {
    const { from, to } = requireDays(name, value)
    return sql`(${expression} at time zone (select zone from lab where deleted_at is null order by is_default desc, id limit 1))::date between ${from}::date and ${to}::date`
  }

const patientName = sql`coalesce(p.last_name || ', ' || p.first_name || ' (' || to_char(p.dob, 'MM/DD/YYYY') || ')', m.subject)`

/** Every message in or out, the newest first. */
export const messageList: ListDefinition = {
  from: sql`interface_message m left join interface_partner i on i.id = m.partner_id left join patient p on p.id = m.patient_id`,
  where: [],
  fields: {
    id: sql`m.id`,
    direction: sql`m.direction`,
    kind: sql`m.kind`,
    interfaceId: sql`m.partner_id`,
    interfaceName: sql`i.name`,
    messageType: sql`m.message_type`,
    controlId: sql`m.control_id`,
    state: sql`m.state`,
    ackCode: sql`m.ack_code`,
    reason: sql`m.reason`,
    reqId: sql`m.requisition_id`,
    patientId: sql`m.patient_id`,
    patientName,
    attempts: sql`m.attempts`,
    receivedDate: sql`m.received_at`,
    settledDate: sql`m.settled_at`,
  },
  sort: { interfaceName: sql`lower(i.name)`, reason: sql`lower(m.reason)` },
  filter: {
    id: isOneOfIds(sql`m.id`, 'id'),
    direction: isOneOf(sql`m.direction`),
    kind: isOneOf(sql`m.kind`),
    interfaceId: isOneOfIds(sql`m.partner_id`, 'interfaceId'),
    interfaceName: contains(sql`i.name`),
    messageType: isOneOf(sql`m.message_type`),
    controlId: isOneOf(sql`m.control_id`),
    state: isOneOf(sql`m.state`),
    ackCode: isOneOf(sql`m.ack_code`),
    reason: contains(sql`m.reason`),
    reqId: isOneOfIds(sql`m.requisition_id`, 'reqId'),
    patientId: isOneOfIds(sql`m.patient_id`, 'patientId'),
    attempts: isOneOfIds(sql`m.attempts`, 'attempts'),
    receivedDate: isWithinDays('receivedDate', sql`m.received_at`),
    settledDate: isWithinDays('settledDate', sql`m.settled_at`),
    search: (value) => searched([value].flat().join(' ').trim()),
  },
  defaultOrder: sql`m.id desc`,
  key: sql`m.id`,
}

const searched = (text: string) => {
  const like = `%${escapeLike(text)}%`
  const reqId = /^#?(\d{1,15})$/.exec(text)?.[1] ?? null
  return sql`(m.control_id ilike ${like} or m.reason ilike ${like} or i.name ilike ${like} or m.message_type ilike ${like} or m.subject ilike ${like}
    or p.name_key like '%' || sort_key(${escapeLike(text)}) || '%' or m.requisition_id = ${reqId}::bigint
    or exists (select from interface_order o where o.partner_id = m.partner_id and o.placer_number = ${text} and (o.message_id = m.id or o.requisition_id = m.requisition_id)))`
}

export const findMessageRow = (db: Db, id: number) => findRow<InterfaceMessage>(db, messageList, id)

/** How many messages there are in each state. */
export const countStates = async (
  db: Db,
  { filters }: ListQuery,
): Promise<{ state: MessageState; count: number }[]> => {
  const conditions = Object.entries(filters).map(([name, value]) => {
    const condition = messageList.filter[name]
    if (!condition) throw invalid('filter', `Unknown filter field "${name}"`)
    return sql`(${condition(value)})`
  })
  const where = conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
  const { rows } = await sql<{ state: MessageState; count: number }>`
    select m.state, count(*)::int as count from ${messageList.from} where ${where} group by m.state order by m.state`.execute(
    db,
  )
  return rows
}

const isSameCause = (
  id: number,
) => sql`m.id <> ${id}::bigint and m.state = 'HELD' and exists (select from interface_message x
  where x.id = ${id}::bigint and x.partner_id = m.partner_id and x.causes && m.causes)`

/** The other held messages of the partner with the same cause. */
export const sameCauseList = (id: number): ListDefinition => ({
  ...messageList,
  where: [isSameCause(id)],
  defaultOrder: sql`m.id`,
})

export const listSameCauseIds = async (db: Db, id: number): Promise<number[]> => {
  const { rows } = await sql<{
    id: number
  }>`select m.id from interface_message m where ${isSameCause(id)} order by m.id limit 500`.execute(db)
  return rows.map((row) => row.id)
}
