import type { Patient } from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import type { PatientCall } from '../patients/service.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import {
  cancelTests,
  changeRequisition,
  lockPlacedOrders,
  markCancelled,
  notAllowed,
  type PlacedOrder,
  settleHeldOrders,
  startedReason,
} from './change-order.ts'
import type { IncomingOrder, Problem } from './incoming-order.ts'
import { makeRequisition, rememberOrder } from './make-order.ts'
import type { Choices, Settlement, StoredMessage } from './message-store.ts'
import type { Partner } from './partner-queries.ts'
import { identityProblem } from './patient-identity.ts'
import { countChanges } from './placers.ts'
import { resolveOrder } from './resolve-order.ts'
import { conflictProblem } from './resolve-people.ts'

export type WorkResult = Pick<Settlement, 'requisitionId' | 'patientId'> & {
  problems: Problem[]
  reason?: string
  /** The order has another version than its sender expects. */
  isStale?: boolean
}

/** Makes, changes or cancels the requisition of an order. With problems nothing is written. */
export const workOrder = async (
  call: PatientCall,
  partner: Partner,
  order: IncomingOrder,
  message: StoredMessage,
): Promise<WorkResult> => {
  const placed = await lockPlacedOrders(call.db, partner.id, order.placers)
  if (await hasChanged(call, partner, order, message, placed)) return { problems: [], isStale: true }
  if (order.control === 'CA') return cancel(call, partner, order, message, placed)
  if (order.control === 'XO') return change(call, partner, order, message, placed)
  return place(call, partner, order, message, placed)
}

/** Whether the order was changed after its version was compared. A user who decides about a held message sees its current state. */
const hasChanged = async (
  { db, actor }: PatientCall,
  partner: Partner,
  { placers }: IncomingOrder,
  { state, order_changes: before }: StoredMessage,
  placed: readonly PlacedOrder[],
): Promise<boolean> => {
  if (state !== 'RECEIVED' || before === null) return false
  const requisitionIds = [...new Set(placed.flatMap(({ requisition_id: id }) => id ?? []))]
  for (const id of requisitionIds.toSorted((a, b) => a - b)) await lockRequisition(db, actor, id)
  return (await countChanges(db, partner.id, placers)) !== before
}

const place = async (
  call: PatientCall,
  partner: Partner,
  sent: IncomingOrder,
  message: StoredMessage,
  placed: readonly PlacedOrder[],
): Promise<WorkResult> => {
  const cancelled = placed.filter((one) => one.is_cancelled).map((one) => one.placer_number)
  const order = { ...sent, tests: sent.tests.filter(({ placer }) => !cancelled.includes(placer)) }
  const resolved = await resolveOrder(call.db, partner, order, message.choices)
  if (resolved.problems.length > 0)
    return { problems: resolved.problems, patientId: resolved.patient.known?.id ?? null }
  const made = await makeRequisition(call, order, resolved)
  await rememberOrder(call.db, partner.id, order, { ...made, items: resolved.items })
  return { problems: [], requisitionId: made.id, patientId: made.patientId }
}

const cancel = async (
  call: PatientCall,
  partner: Partner,
  { placers }: IncomingOrder,
  message: StoredMessage,
  placed: readonly PlacedOrder[],
): Promise<WorkResult> => {
  const open = placed.filter((one) => !one.is_cancelled)
  const requisitionIds = [...new Set(open.flatMap(({ requisition_id: id }) => id ?? []))]
  const [requisitionId = null] = requisitionIds
  if (open.length === 0)
    return { problems: [], reason: 'Cancelled before', requisitionId: placed[0]?.requisition_id ?? null }
  for (const id of requisitionIds) {
    const reason = await startedReason(call, id)
    if (reason) return { problems: [notAllowed(reason)], requisitionId: id }
  }
  for (const id of requisitionIds) await cancelTests(call, partner, id, placers)
  await markCancelled(call.db, partner.id, placers)
  await settleHeldOrders(call.db, open, message, 'Cancelled by')
  return { problems: [], requisitionId }
}

const change = async (
  call: PatientCall,
  partner: Partner,
  order: IncomingOrder,
  message: StoredMessage,
  placed: readonly PlacedOrder[],
): Promise<WorkResult> => {
  const requisitionIds = [...new Set(placed.flatMap(({ requisition_id: id }) => id ?? []))]
  const [requisitionId] = requisitionIds
  if (requisitionIds.length > 1)
    return { problems: [notAllowed('The placer numbers belong to different requisitions')] }
  if (requisitionId === undefined) return replaceHeld(call, partner, order, message, placed)
  if (placed.every((one) => one.is_cancelled))
    return { problems: [notAllowed('The order has been cancelled')], requisitionId }
  const reason = await startedReason(call, requisitionId)
  if (reason) return { problems: [notAllowed(reason)], requisitionId }
  const resolved = await resolveOrder(call.db, partner, order, message.choices)
  const problems =
    resolved.problems.length > 0
      ? resolved.problems
      : await changeProblems(call, partner, order, requisitionId, message.choices, resolved.patient.known)
  if (problems.length > 0) return { problems, requisitionId }
  await changeRequisition(call, partner, requisitionId, order, resolved)
  return { problems: [], requisitionId, patientId: resolved.patient.known?.id ?? null }
}

/** The order is still held: the message replaces it. */
const replaceHeld = async (
  call: PatientCall,
  partner: Partner,
  order: IncomingOrder,
  message: StoredMessage,
  placed: readonly PlacedOrder[],
): Promise<WorkResult> => {
  const result = await place(call, partner, order, message, [])
  if (result.problems.length > 0) return result
  const former = [...new Set(placed.map(({ message_id: id }) => id))]
  await takeOver(call, partner, former, order.placers, message)
  await settleHeldOrders(call.db, placed, message, 'Replaced by')
  return result
}

const takeOver = async (
  call: PatientCall,
  partner: Partner,
  former: readonly number[],
  placers: readonly string[],
  message: StoredMessage,
) => {
  await sql`update interface_order set is_cancelled = not placer_number = any(${[...placers]}::text[]),
      message_id = case when placer_number = any(${[...placers]}::text[]) then ${message.id}::bigint else message_id end
    where partner_id = ${partner.id} and message_id = any(${[...former]}::bigint[])`.execute(call.db)
}

/** The patient stays the one of the requisition, and becomes nobody else without a person. */
const changeProblems = async (
  call: PatientCall,
  partner: Partner,
  order: IncomingOrder,
  requisitionId: number,
  choices: Choices,
  known: Patient | null,
): Promise<Problem[]> => {
  const row = await call.db
    .selectFrom('requisition')
    .select('patient_id')
    .where('id', '=', requisitionId)
    .executeTakeFirstOrThrow()
  if (known?.id !== row.patient_id)
    return [conflictProblem(order, `Requisition #${requisitionId} is of another patient`)]
  const problem = await identityProblem(call, partner, known, order, choices)
  return problem ? [problem] : []
}
