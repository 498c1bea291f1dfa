import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import { removeIcds } from '../billing/icd-service.ts'
import { listIcds } from '../billing/queries.ts'
import { addTests, getChosenTestIds, removeTests } from '../lab-tests/ordering.ts'
import { removeRequisitions } from '../life-cycle/service.ts'
import { getPatient, type PatientCall } from '../patients/service.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import type { IncomingOrder, Problem } from './incoming-order.ts'
import { rememberItems, rememberNumber } from './make-order.ts'
import { type StoredMessage, settleMessage } from './message-store.ts'
import { addDiagnoses } from './order-details.ts'
import type { Partner } from './partner-queries.ts'
import { updatePatientData } from './patient-data.ts'
import { choiceOf, type OrderedItem } from './resolve-codes.ts'
import type { ResolvedOrder } from './resolve-order.ts'

export interface PlacedOrder {
  placer_number: string
  message_id: number
  requisition_id: number | null
  is_cancelled: boolean
}

export const lockPlacedOrders = async (
  trx: Trx,
  partnerId: number,
  placers: readonly string[],
): Promise<PlacedOrder[]> => {
  const { rows } =
    await sql<PlacedOrder>`select placer_number, message_id, requisition_id, is_cancelled from interface_order
    where partner_id = ${partnerId} and placer_number = any(${[...placers]}::text[]) order by placer_number for update`.execute(
      trx,
    )
  return rows
}

/** Why an order can no longer be changed by a message, or null. */
export const startedReason = async (call: PatientCall, requisitionId: number): Promise<string | null> => {
  const { status_code: status } = await lockRequisition(call.db, call.actor, requisitionId)
  const { rows } =
    await sql`select from specimen where requisition_id = ${requisitionId} and deleted_at is null limit 1`.execute(
      call.db,
    )
  return status === 'LOG' && rows.length === 0
    ? null
    : `Requisition #${requisitionId} has been received; a person must decide`
}

export const notAllowed = (message: string): Problem => ({ code: 'NOT_ALLOWED_NOW', path: 'ORC-1', value: '', message })

/** Removes the tests ordered under these placer numbers; a requisition without tests is then deleted. */
export const cancelTests = async (
  call: PatientCall,
  partner: Partner,
  requisitionId: number,
  placers: readonly string[],
) => {
  const { db } = call
  const items = await listItems(db, partner.id, requisitionId)
  const isLeaving = (item: OrderedItem) => placers.includes(item.placer)
  const leaving = await getChosenTestIds(db, choiceOf(items.filter(isLeaving)))
  const staying = await getChosenTestIds(db, choiceOf(items.filter((item) => !isLeaving(item))))
  const live = await listLiveTests(db, requisitionId)
  const gone = live.filter(({ test_id: test }) => leaving.includes(test) && !staying.includes(test))
  if (gone.length === live.length) {
    const { refused } = await removeRequisitions(call, [requisitionId])
    if (refused[0]) throw conflict(refused[0].reason)
  } else if (gone.length > 0) {
    await removeTests(
      call,
      requisitionId,
      gone.map(({ id }) => id),
    )
  }
}

/** Updates the requisition to the message: its tests, its diagnoses and the data of its patient. */
export const changeRequisition = async (
  call: PatientCall,
  partner: Partner,
  requisitionId: number,
  order: IncomingOrder,
  resolved: ResolvedOrder,
) => {
  await changeTests(call, partner, requisitionId, resolved.items)
  await changeDiagnoses(call, requisitionId, order.icds)
  const patient = await getPatient(call, resolved.patient.known?.id as number)
  await updatePatientData(call, patient, order.patient, requisitionId)
  await sql`update interface_order set is_cancelled = not placer_number = any(${[...order.placers]}::text[]), requisition_id = ${requisitionId}::bigint
    where partner_id = ${partner.id} and (requisition_id = ${requisitionId}::bigint or placer_number = any(${[...order.placers]}::text[]))`.execute(
    call.db,
  )
  await rememberNumber(call.db, partner.id, order)
}

const changeTests = async (
  call: PatientCall,
  partner: Partner,
  requisitionId: number,
  items: readonly OrderedItem[],
) => {
  const { db } = call
  const former = await getChosenTestIds(db, choiceOf(await listItems(db, partner.id, requisitionId)))
  const wanted = await getChosenTestIds(db, choiceOf(items))
  const live = await listLiveTests(db, requisitionId)
  if (wanted.some((test) => !live.some(({ test_id: id }) => id === test)))
    await addTests(call, requisitionId, choiceOf(items))
  // Tests that the laboratory has added stay.
  const gone = live.filter(({ test_id: test }) => former.includes(test) && !wanted.includes(test))
  if (gone.length > 0)
    await removeTests(
      call,
      requisitionId,
      gone.map(({ id }) => id),
    )
  await sql`delete from interface_order_item where partner_id = ${partner.id} and requisition_id = ${requisitionId}`.execute(
    db,
  )
  await rememberItems(db, partner.id, requisitionId, items)
}

const changeDiagnoses = async (call: PatientCall, requisitionId: number, icds: IncomingOrder['icds']) => {
  const plain = (code: string) => code.replaceAll('.', '').toUpperCase()
  const before = await listIcds(call.db, requisitionId)
  const wanted = new Set(icds.map(({ code }) => plain(code)))
  const gone = before.filter(({ icdCode }) => !wanted.has(plain(icdCode)))
  if (gone.length > 0)
    await removeIcds(
      call,
      requisitionId,
      gone.map(({ id }) => id),
    )
  const known = new Set(before.map(({ icdCode }) => plain(icdCode)))
  const added = icds.filter(({ code }) => !known.has(plain(code)))
  if (added.length > 0) await addDiagnoses(call, requisitionId, added)
}

const listItems = async (trx: Trx, partnerId: number, requisitionId: number): Promise<OrderedItem[]> => {
  const { rows } =
    await sql<OrderedItem>`select i.placer_number as placer, i.test_id as "testId", i.panel_id as "panelId", '' as "ourCode",
      i.code, coalesce(i.name, '') as name, coalesce(i.coding_system, '') as system, i.placer_system as "placerSystem"
    from interface_order_item i join interface_order o on o.partner_id = i.partner_id and o.placer_number = i.placer_number
    where i.partner_id = ${partnerId} and i.requisition_id = ${requisitionId} and not o.is_cancelled`.execute(trx)
  return rows
}

const listLiveTests = async (trx: Trx, requisitionId: number) => {
  const { rows } = await sql<{ id: number; test_id: number }>`select id, test_id from requisition_test
    where requisition_id = ${requisitionId} and deleted_at is null and not is_retest`.execute(trx)
  return rows
}

export const markCancelled = async (trx: Trx, partnerId: number, placers: readonly string[]) => {
  await sql`update interface_order set is_cancelled = true
    where partner_id = ${partnerId} and placer_number = any(${[...placers]}::text[])`.execute(trx)
}

/** A held order that its sender cancelled or replaced needs no decision any more, once none of its placer numbers is open. */
export const settleHeldOrders = async (trx: Trx, placed: readonly PlacedOrder[], by: StoredMessage, how: string) => {
  const held = [...new Set(placed.filter(({ requisition_id: id }) => id === null).map(({ message_id: id }) => id))]
  for (const id of held) {
    const { rows } =
      await sql`select from interface_order where message_id = ${id} and not is_cancelled limit 1`.execute(trx)
    if (rows.length === 0 && id !== by.id)
      await settleMessage(trx, id, { state: 'DISMISSED', reason: `${how} ${by.control_id ?? ''}`.trim() })
  }
}
