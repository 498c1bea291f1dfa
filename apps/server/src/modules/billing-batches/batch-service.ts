import { randomUUID } from 'node:crypto'
import { type BatchDetail, type BatchPlanRow, maxBatchSize } from '@lis/contract/billing-batches.ts'
import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { findMove, type Move, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { storeFile } from '../../platform/storage/stored-files.ts'
import { lockRequisitionRows, runMove, setStatus } from '../life-cycle/service.ts'
import { type BillItem, itemAmount, itemCurrency, type Judged } from './bill-item.ts'
import { billedBefore } from './billed-before.ts'
import { billingFault, unpricedCodes } from './billing-fault.ts'
import { type BatchFile, makeFiles } from './files.ts'
import { billingProvider } from './provider.ts'
import {
  type BatchHead,
  countWaiting,
  getBatch,
  itemsOf,
  lockBatch,
  openBatchesOf,
  openItemIds,
  readyItems,
  waitingIds,
} from './queries.ts'

// ── making ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Wanted {
  /** None: all that the plan would take. */
  reqIds?: readonly number[] | undefined
  /** Also those of them that a sent batch has billed. */
  billAgain: boolean
}

/**
 * Two people who make a batch at the same moment wait for each other; the second finds nothing left to take. Nobody is billed twice
 * unless a person has asked for it.
 */
export const createBatch = async (
  call: WriteCall,
  services: Services,
  { reqIds, billAgain }: Wanted,
): Promise<Outcome & { id: number }> => {
  const { db, actor, requestId } = call
  const ids = reqIds ?? (await readPlan(db, services)).filter(({ missing }) => missing === null).map(({ id }) => id)
  await lockRequisitionRows(db, ids)
  const taken = await openBatchesOf(db, ids)
  const billed = await billedBefore(db, ids)
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

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export const judge = (items: readonly BillItem[], services: Pick<Services, 'config'>): Judged[] => {
  const canClaim = billingProvider(services.config) !== null
  return items.map((item) => ({ item, fault: item.leftOut ?? billingFault(item, canClaim) }))
}

/** The requisitions of a batch; those that were taken out when it was sent belong to it no longer. */
export const batchDetails = async (db: Db, services: Services, id: number): Promise<BatchDetail[]> => {
  const batch = await getBatch(db, id)
  const isSent = batch.send_status_code === 'SENT'
  const judged = judge(await itemsOf(db, batch), services).filter(({ item }) => item.leftOut === null)
  return judged.map(({ item, fault }) => detailOf(item, isSent ? null : fault))
}

/** What a batch made now could take of what waits for one, and what keeps each other one out of it. Nothing is changed. */
export const planBatch = async (db: Db, services: Services): Promise<{ data: BatchPlanRow[]; total: number }> => ({
  data: await readPlan(db, services),
  total: await countWaiting(db),
})

const readAtOnce = 1000

/** The status select is free, and whoever chooses this status there takes it for the way into a batch. */
const strayReason = ({ statusCode }: BillItem): string | null =>
  statusCode === 'INBILL'
    ? `Its status is '${statusOf('INBILL').description}', but no batch has it: set it to '${statusOf('READYBILL').description}'`
    : null

/**
 * Oldest first until a batch is full or nothing is left: however many old ones lack something, they do not hide the newer ones that
 * lack nothing. Of those that lack something the oldest are named, as many as a batch holds.
 */
const readPlan = async (db: Db, services: Services): Promise<BatchPlanRow[]> => {
  const plan: BatchPlanRow[] = []
  const room = { taken: maxBatchSize, leftOut: maxBatchSize }
  for (let last = 0; room.taken > 0; ) {
    const ids = await waitingIds(db, last, readAtOnce)
    const judged = judge(await readyItems(db, ids), services)
    // Read after the status of each: one that a batch has just taken is then known to be in it.
    const taken = await openBatchesOf(db, ids)
    const billed = await billedBefore(db, ids)
    for (const { item, fault } of judged) {
      const open = taken.get(item.reqId)
      const elsewhere = open === undefined ? strayReason(item) : `Already in billing batch ${open}`
      const before = elsewhere === null ? billed.get(item.reqId) : undefined
      const why = elsewhere === null ? [before?.reason, fault] : [elsewhere]
      const missing = why.filter((one) => typeof one === 'string').join('; ') || null
      const kind = missing === null ? 'taken' : 'leftOut'
      const billedBatchId = fault === null && before ? before.batchId : null
      const tabSlug = billedBatchId !== null || strayReason(item) ? 'status' : 'billing'
      if (room[kind] > 0)
        plan.push({ ...detailOf(item, missing), billedBatchId, tabSlug, ...unpricedClient(item, fault) })
      room[kind] -= 1
    }
    if (ids.length < readAtOnce) break
    last = ids.at(-1) ?? last
  }
  return plan
}

/** Where a missing price is entered. */
const unpricedClient = (item: BillItem, fault: string | null) =>
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

// ── sending ─────────────────────────────────────────────────────────────────────────────────────────────────────────

type Sent = Outcome & { sendStatusCode: 'SENT' | 'FAILED' }

/** Writes the files first: when the store does not take them the batch says so and nothing else has changed. */
export const sendBatch = async (call: WriteCall, services: Services, id: number): Promise<Sent> => {
  const { db } = call
  const batch = await lockBatch(db, id)
  if (batch.send_status_code === 'SENT') throw conflict(`Billing batch ${id} has already been sent`)
  const ids = await openItemIds(db, id)
  await lockRequisitionRows(db, ids)
  const open = new Set(ids)
  const judged = judge(await itemsOf(db, batch), services)
    .filter(({ item }) => open.has(item.reqId))
    .map(({ item, fault }) => ({
      item,
      fault: item.statusCode === 'INBILL' ? fault : 'Its status was changed after it was put into the batch',
    }))
  const billed = judged.filter(({ fault }) => fault === null).map(({ item }) => item)
  const [first] = judged
  if (billed.length === 0)
    throw conflict(
      first
        ? `Nothing in billing batch ${id} can be billed. #${first.item.reqId}: ${first.fault}`
        : `Billing batch ${id} is empty`,
    )
  const provider = billingProvider(services.config)
  const at = { instant: new Date(), zone: await getHomeZone(db) }
  const stored = await storeAll(call, services, id, await makeFiles({ batchId: id, at, provider, judged }))
  if (!stored) return failed(call, batch)
  await freeze(db, id, billed)
  await setStatus(db, call.actor, call.requestId, idsOf(billed), findMove('INBILL', 'BILL', 'BILLINGBATCH') as Move)
  const leftOut = judged.filter((one): one is Judged & { fault: string } => one.fault !== null)
  await takeOut(call, id, leftOut)
  await settle(call, batch, { code: 'SENT', count: billed.length })
  return { moved: idsOf(billed), refused: leftOut.map(refusalOf), sendStatusCode: 'SENT' }
}

const idsOf = (items: readonly BillItem[]) => items.map(({ reqId }) => reqId)

const refusalOf = ({ item, fault }: Judged): Refusal => ({
  id: item.reqId,
  label: `#${item.reqId} | ${item.patient.lastName}, ${item.patient.firstName}`,
  reason: `Requisition #${item.reqId}: ${fault}`,
  tabSlug: 'billing',
  ...unpricedClient(item, fault),
})

const storeAll = async ({ db, actor }: WriteCall, services: Services, batchId: number, files: readonly BatchFile[]) => {
  try {
    for (const { name, contentType, body } of files) {
      const key = `billing/${batchId}/${randomUUID()}/${name}`
      const file = await storeFile(db, services.store, {
        key,
        body,
        originalName: name,
        contentType,
        createdBy: actor.userId,
      })
      await db.insertInto('billing_batch_file').values({ batch_id: batchId, file_id: file.id }).execute()
    }
    return true
  } catch (error) {
    services.log.error({ err: error, batch: batchId }, 'the files of a billing batch could not be stored')
    return false
  }
}

const failed = async (call: WriteCall, batch: BatchHead): Promise<Sent> => {
  await sql`delete from billing_batch_file where batch_id = ${batch.id}`.execute(call.db)
  await settle(call, batch, { code: 'FAILED' })
  return { moved: [], refused: [], sendStatusCode: 'FAILED' }
}

/** What was billed stays what it was, whatever becomes of prices and bill types. */
const freeze = async (trx: Trx, batchId: number, billed: readonly BillItem[]) => {
  const charges = billed.filter(({ billTypeCode }) => billTypeCode !== 'NOCHARGE').flatMap((item) => item.charges)
  await sql`insert into billing_charge (batch_id, requisition_id, test_id, amount, currency_code)
    select ${batchId}, r, t, a::numeric, c from unnest(${charges.map((charge) => charge.requisitionId)}::bigint[], ${charges.map((charge) => charge.testId)}::int[],
      ${charges.map((charge) => charge.amount)}::text[], ${charges.map((charge) => charge.currencyCode)}::text[]) as x(r, t, a, c)`.execute(
    trx,
  )
  await sql`update billing_batch_item i set is_open = false, bill_type_code = x.code
    from unnest(${idsOf(billed)}::bigint[], ${billed.map(({ billTypeCode }) => billTypeCode)}::text[]) as x(id, code)
    where i.batch_id = ${batchId} and i.requisition_id = x.id`.execute(trx)
}

/** Back to where the next batch finds them, with the reason as a billing note. */
const takeOut = async (call: WriteCall, batchId: number, leftOut: readonly (Judged & { fault: string })[]) => {
  const { db, actor, requestId } = call
  if (leftOut.length === 0) return
  const ids = leftOut.map(({ item }) => item.reqId)
  const reasons = leftOut.map(({ fault }) => fault)
  await sql`update billing_batch_item i set is_open = false, left_out = x.reason from unnest(${ids}::bigint[], ${reasons}::text[]) as x(id, reason)
    where i.batch_id = ${batchId} and i.requisition_id = x.id`.execute(db)
  await sql`insert into billing_note (requisition_id, note) select x.id, 'Not billed in batch ' || ${batchId}::text || ': ' || x.reason
    from unnest(${ids}::bigint[], ${reasons}::text[]) as x(id, reason)`.execute(db)
  const waiting = leftOut.filter(({ item }) => item.statusCode === 'INBILL').map(({ item }) => item.reqId)
  await setStatus(db, actor, requestId, waiting, {
    from: 'INBILL',
    to: 'READYBILL',
    reason: `Taken out of billing batch ${batchId}`,
  })
}

const settle = async (
  { db, actor, requestId }: WriteCall,
  batch: BatchHead,
  { code, count }: { code: 'SENT' | 'FAILED'; count?: number },
) => {
  await db
    .updateTable('billing_batch')
    .set({
      send_status_code: code,
      version: sql<number>`version + 1`,
      ...(code === 'SENT' && { bill_send_at: sql<string>`now()` }),
      ...(count !== undefined && { record_count: count }),
    })
    .where('id', '=', batch.id)
    .execute()
  await recordAudit(db, actor, requestId, {
    entity: 'billing_batch',
    entityId: batch.id,
    action: 'SEND',
    old: { sendStatusCode: batch.send_status_code },
    new: { sendStatusCode: code },
  })
}
