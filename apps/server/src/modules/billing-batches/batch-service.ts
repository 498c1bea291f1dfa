import { type BatchDetail, type BatchPlanRow, maxBatchSize } from '@lis/contract/billing-batches.ts'
import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { findMove, type Move, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { lockRequisitionRows, runMove } from '../life-cycle/service.ts'
import { type BillItem, type CheckedItem, itemAmount, itemCurrency } from './bill-item.ts'
import { findEarlierBills } from './billed-before.ts'
import { billingFault, unpricedCodes } from './billing-fault.ts'
import { billingProvider } from './provider.ts'
import {
  countWaiting,
  findOpenBatches,
  getBatch,
  listWaitingIds,
  readBatchItems,
  readItemsOfRequisitions,
} from './queries.ts'

interface BatchRequest {
  /** Default: all that the plan would take. */
  reqIds?: readonly number[] | undefined
  /** Includes requisitions that a sent batch has billed. */
  billAgain: boolean
}

/** Concurrent calls wait for each other; the second finds nothing left. Nothing is billed twice unless a person asks for it. */
export const createBatch = async (
  call: WriteCall,
  services: Services,
  { reqIds, billAgain }: BatchRequest,
): Promise<Outcome & { id: number }> => {
  const { db, actor, requestId } = call
  const ids = reqIds ?? (await readPlan(db, services)).filter(({ missing }) => missing === null).map(({ id }) => id)
  await lockRequisitionRows(db, ids)
  const taken = await findOpenBatches(db, ids)
  const billed = await findEarlierBills(db, ids)
  const isBilled = (id: number) => !billAgain && billed.has(id)
  const free = ids.filter((id) => !taken.has(id) && !isBilled(id))
  const outcome = await runMove(call, free, findMove('READYBILL', 'INBILL', 'BILLINGBATCH') as Move)
  const refused: Refusal[] = [
    ...outcome.refused,
    ...ids
      .filter((id) => taken.has(id))
      .map((id) => ({
        id,
        label: `#${id}`,
        reason: `Requisition #${id} is already in billing batch ${taken.get(id)}`,
        tabSlug: null,
      })),
    ...ids
      .filter((id) => !taken.has(id) && isBilled(id))
      .map((id) => ({
        id,
        label: `#${id}`,
        reason: `Requisition #${id}: ${billed.get(id)?.reason}`,
        tabSlug: 'status',
      })),
  ]
  if (outcome.moved.length === 0)
    throw conflict(reqIds && refused[0] ? refused[0].reason : 'There is no requisition that is ready to bill')
  const { id } = await db
    .insertInto('billing_batch')
    .values({ record_count: outcome.moved.length, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`insert into billing_batch_item (batch_id, requisition_id) select ${id}, r from unnest(${outcome.moved}::bigint[]) as r`.execute(
    db,
  )
  const again = outcome.moved.filter((one) => billed.has(one))
  await sql`insert into billing_note (requisition_id, note, created_by)
    select x.id, 'To be billed again in batch ' || ${id}::text || '. ' || x.reason, ${actor.userId}
    from unnest(${again}::bigint[], ${again.map((one) => billed.get(one)?.reason)}::text[]) as x(id, reason)`.execute(
    db,
  )
  await recordAudit(db, actor, requestId, {
    entity: 'billing_batch',
    entityId: id,
    action: 'CREATE',
    new: { recordCount: outcome.moved.length, ...(again.length > 0 && { billedAgain: again }) },
  })
  return { id, moved: outcome.moved, refused }
}

export const checkItems = (items: readonly BillItem[], services: Pick<Services, 'config'>): CheckedItem[] => {
  const canClaim = billingProvider(services.config) !== null
  return items.map((item) => ({ item, fault: item.leftOut ?? billingFault(item, canClaim) }))
}

/** The requisitions of a batch, without those that were left out when it was sent. */
export const listBatchDetails = async (db: Db, services: Services, id: number): Promise<BatchDetail[]> => {
  const batch = await getBatch(db, id)
  const isSent = batch.send_status_code === 'SENT'
  const checked = checkItems(await readBatchItems(db, batch), services).filter(({ item }) => item.leftOut === null)
  return checked.map(({ item, fault }) => detailOf(item, isSent ? null : fault))
}

/** The requisitions that a new batch would take, and the reason for each that it would not. Changes nothing. */
export const planBatch = async (db: Db, services: Services): Promise<{ data: BatchPlanRow[]; total: number }> => ({
  data: await readPlan(db, services),
  total: await countWaiting(db),
})

const pageSize = 1000

/** This status can also be set by hand, which does not put the requisition into a batch. */
const notInBatchReason = ({ statusCode }: BillItem): string | null =>
  statusCode === 'INBILL'
    ? `Its status is '${statusOf('INBILL').description}', but no batch has it: set it to '${statusOf('READYBILL').description}'`
    : null

/**
 * Oldest first until a batch is full or nothing is left, so that any number of incomplete old ones does not hide complete newer ones. Of
 * the incomplete ones the oldest are listed, as many as a batch holds.
 */
const readPlan = async (db: Db, services: Services): Promise<BatchPlanRow[]> => {
  const plan: BatchPlanRow[] = []
  const remaining = { taken: maxBatchSize, leftOut: maxBatchSize }
  for (let last = 0; remaining.taken > 0; ) {
    const ids = await listWaitingIds(db, last, pageSize)
    const checked = checkItems(await readItemsOfRequisitions(db, ids), services)
    // Read after the statuses, so that a requisition that a batch has just taken is found in it.
    const taken = await findOpenBatches(db, ids)
    const billed = await findEarlierBills(db, ids)
    for (const { item, fault } of checked) {
      const open = taken.get(item.reqId)
      const blocked = open === undefined ? notInBatchReason(item) : `Already in billing batch ${open}`
      const before = blocked === null ? billed.get(item.reqId) : undefined
      const reasons = blocked === null ? [before?.reason, fault] : [blocked]
      const missing = reasons.filter((one) => typeof one === 'string').join('; ') || null
      const kind = missing === null ? 'taken' : 'leftOut'
      const billedBatchId = fault === null && before ? before.batchId : null
      const tabSlug = billedBatchId !== null || notInBatchReason(item) ? 'status' : 'billing'
      if (remaining[kind] > 0)
        plan.push({ ...detailOf(item, missing), billedBatchId, tabSlug, ...unpricedClient(item, fault) })
      remaining[kind] -= 1
    }
    if (ids.length < pageSize) break
    last = ids.at(-1) ?? last
  }
  return plan
}

/** For the link to the client's prices. */
export const unpricedClient = (item: BillItem, fault: string | null) =>
  fault !== null && unpricedCodes(item).length > 0 ? { unpricedClientId: item.client.id } : {}

const detailOf = (item: BillItem, missing: string | null): BatchDetail => ({
  id: item.reqId,
  reqId: item.reqId,
  patientFirstName: item.patient.firstName,
  patientLastName: item.patient.lastName,
  patientDob: item.patient.dob,
  clientName: item.client.name,
  physFirstName: item.physician.firstName,
  physLastName: item.physician.lastName,
  testCodes: item.testCodes,
  reqBillTypeCode: item.billTypeCode,
  reqBillTypeDesc: item.billTypeDesc,
  amount: itemAmount(item),
  currencyCode: itemCurrency(item),
  missing,
})
