import { superAdmins } from '@lis/contract/access/roles.ts'
import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import type { FieldError } from '@lis/contract/kit/errors.ts'
import { messages } from '@lis/contract/messages.ts'
import { requisitionLabels } from '@lis/contract/requisitions/create.ts'
import { dayAt, instantsAt } from '@lis/contract/zoned-time.ts'
import { sql } from 'kysely'
import { AppError, invalid, invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Sql } from '../../platform/lists.ts'
import { activeCodes, type IsActiveCode, isClientInScope } from '../lookups/queries.ts'

/** The references of a requisition. */
export interface Order {
  clientId: number
  colaId: number
  labId: number
  eventId: number
  orderingClientPhysId: number
  collectCode: string | null
  copyToClientId?: number | null | undefined
  copyToClientPhysId?: number | null | undefined
}

interface Found {
  zone: string
  bill_type_code: string | null
  physician_id: number | null
  has_physician: boolean
  first_name: string | null
  last_name: string | null
  copy_physician_id: number | null
  has_copy_physician: boolean
  has_event: boolean
  has_lab: boolean
  has_collaborator: boolean
  has_copy_client: boolean
}

export interface CheckedOrder {
  clientZone: string
  /** The client's usual bill type; null where requisitions do not have it. */
  clientBillType: string | null
  physicianId: number
  copyPhysicianId: number | null
}

/**
 * Checks that the client is in scope and that physician, event and lab belong to the client. In an existing requisition an unchanged
 * reference stays valid, also when it has since been removed from its list.
 */
export const requireOrder = async (call: WriteCall, wanted: Order, before: Order | null): Promise<CheckedOrder> => {
  const isActive = await activeCodes(call.db, orderCodeTypes)
  const [checked] = await checkOrders(call, [{ wanted, before }], isActive)
  if (checked instanceof AppError) throw checked
  return checked as CheckedOrder
}

/** The lookup lists that `checkOrders` needs. */
export const orderCodeTypes = ['COLLECTIONMETHOD'] as const

/** The same for many orders in one statement; the result has an error in the place of a refused one. */
export const checkOrders = async (
  call: WriteCall,
  orders: readonly { wanted: Order; before: Order | null }[],
  isActive: IsActiveCode,
): Promise<(CheckedOrder | AppError)[]> => {
  const found = await findOrders(
    call,
    orders.map(({ wanted }) => wanted),
  )
  return orders.map(({ wanted, before }, index) => checkOrder(found.get(index), wanted, before, isActive))
}

const checkOrder = (
  found: Found | undefined,
  wanted: Order,
  before: Order | null,
  isActive: IsActiveCode,
): CheckedOrder | AppError => {
  if (!found) return notFound('Client')
  const isUnchanged = (field: keyof Order) =>
    before !== null && before.clientId === wanted.clientId && before[field] === wanted[field]
  const isCopyUnchanged = isUnchanged('copyToClientPhysId') && isUnchanged('copyToClientId')
  const faults = [
    ...(found.has_collaborator || isUnchanged('colaId') ? [] : [fault('colaId')]),
    ...(found.has_physician || isUnchanged('orderingClientPhysId')
      ? nameFaults(found)
      : [fault('orderingClientPhysId')]),
    ...(found.has_event || isUnchanged('eventId') ? [] : [fault('eventId')]),
    ...(found.has_lab || isUnchanged('labId') ? [] : [fault('labId')]),
    ...(found.has_copy_client || isUnchanged('copyToClientId') ? [] : [fault('copyToClientId')]),
    ...(found.has_copy_physician || isCopyUnchanged ? [] : [fault('copyToClientPhysId')]),
    ...(isActive('COLLECTIONMETHOD', wanted.collectCode) || isUnchanged('collectCode') ? [] : [fault('collectCode')]),
  ]
  if (faults.length > 0) return invalidFields(faults)
  return {
    clientZone: found.zone,
    clientBillType: found.bill_type_code,
    physicianId: found.physician_id as number,
    copyPhysicianId: found.copy_physician_id,
  }
}

const fault = (field: keyof typeof requisitionLabels): FieldError => ({
  field,
  message: messages.invalid(requisitionLabels[field]),
})

/** DETAIL-G7: the names come from the physician, and a record without them is refused. */
const nameFaults = ({ first_name: first, last_name: last }: Found): FieldError[] => [
  ...(first?.trim() ? [] : [{ field: 'physFirstName', message: messages.required(requisitionLabels.physFirstName) }]),
  ...(last?.trim() ? [] : [{ field: 'physLastName', message: messages.required(requisitionLabels.physLastName) }]),
]

const isNotDeleted = (physicianId: Sql): Sql =>
  sql`exists (select from physician x where x.id = ${physicianId} and x.deleted_at is null for key share)`

/** By position. Locks the references as the foreign keys will: a concurrent delete comes before this, or finds the order. */
const findOrders = async ({ db, actor }: WriteCall, orders: readonly Order[]): Promise<Map<number, Found>> => {
  // Users of a collaborator order for their own collaborator only, those of a practice for the collaborator of the client.
  const isOwn = superAdmins.some((role) => role === actor.role)
    ? sql`true`
    : actor.role === 'COLA'
      ? sql`x.id = ${actor.entityId}`
      : sql`x.id = c.collaborator_id`
  const column = (name: keyof Order) => sql`${orders.map((order) => order[name] ?? null)}::bigint[]`
  const { rows } = await sql<Found & { place: number }>`
    select w.place::int - 1 as place, c.zone, (select code from lov where type_code = 'REQBILLTYPE' and code = c.bill_type_code and is_active) as bill_type_code,
      ph.id as physician_id, ph.first_name, ph.last_name,
      (cp.deleted_at is null and ${isNotDeleted(sql`cp.physician_id`)}) as has_physician, y.physician_id as copy_physician_id,
      (w.copy_pair is null or y.deleted_at is null and ${isNotDeleted(sql`y.physician_id`)}) as has_copy_physician,
      exists (select from client_event x where x.id = w.event and x.client_id = c.id and x.deleted_at is null for key share) as has_event,
      exists (select from client_lab x join lab on lab.id = x.lab_id and lab.deleted_at is null
        where x.lab_id = w.lab and x.client_id = c.id) as has_lab,
      exists (select from collaborator x where x.id = w.cola and x.deleted_at is null and ${isOwn} for key share) as has_collaborator,
      (w.copy_client is null or exists (select from client x where x.id = w.copy_client and x.deleted_at is null
        and ${isClientInScope(actor, sql`x.id`)} for key share)) as has_copy_client
    from unnest(${column('clientId')}, ${column('colaId')}, ${column('labId')}, ${column('eventId')}, ${column('orderingClientPhysId')},
        ${column('copyToClientId')}, ${column('copyToClientPhysId')}) with ordinality as w(client, cola, lab, event, pair, copy_client, copy_pair, place)
      join client c on c.id = w.client
      left join client_physician cp on cp.id = w.pair and cp.client_id = c.id
      left join physician ph on ph.id = cp.physician_id
      left join client_physician y on y.id = w.copy_pair and y.client_id = coalesce(w.copy_client, c.id)
    where c.deleted_at is null and ${isClientInScope(actor, sql`c.id`)} for key share of c`.execute(db)
  return new Map(rows.map((row) => [row.place, row]))
}

const withOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/
const withoutOffset = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::\d{2})?$/
/** Browser clocks may be wrong by minutes. */
const clockSkewMs = 5 * 60_000

const refuse = (message: string) => invalid('dateCollected', message)

/** The time of collection as ISO text in UTC. Text without an offset is in the client's time zone. */
export const requireCollected = (
  text: string,
  { zone, dob, receivedAt }: { zone: string; dob: string; receivedAt?: string | null },
  now = Date.now(),
): string => {
  if (zone === 'TZNA') throw refuse(messages.clientTimezoneMissing)
  if (!isIsoDate(text.slice(0, 10))) throw refuse(messages.invalidDate)
  const time = withOffset.test(text) ? Date.parse(text) : Date.parse(localInstant(text, zone))
  if (Number.isNaN(time)) throw refuse(messages.invalidDate)
  if (time > now + clockSkewMs) throw refuse(messages.dateInFuture)
  if (dayAt(time, zone) < dob) throw refuse(messages.collectedBeforeBirth)
  if (receivedAt && time > Date.parse(receivedAt)) throw refuse(messages.collectedAfterReceived)
  return new Date(time).toISOString()
}

const localInstant = (text: string, zone: string): string => {
  const [, year, month, day, hours, minutes] = (withoutOffset.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined || hours === undefined || minutes === undefined)
    throw refuse(messages.invalidDate)
  if (hours > 23 || minutes > 59) throw refuse(messages.invalidDate)
  const [first, second] = instantsAt({ year, month, day, hours, minutes }, zone)
  if (first === undefined) throw refuse(messages.timeSkipped)
  // Only an offset can say which of the two is meant.
  if (second !== undefined) throw refuse(messages.timeAmbiguous)
  return first
}
