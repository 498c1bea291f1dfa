import { randomUUID } from 'node:crypto'
import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { findMove, type Move } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { storeFile } from '../../platform/storage/stored-files.ts'
import { lockRequisitionRows, setStatus } from '../life-cycle/service.ts'
import { checkItems, unpricedClient } from './batch-service.ts'
import type { BillItem, CheckedItem } from './bill-item.ts'
import { type BatchFile, makeBatchFiles } from './files.ts'
import { billingProvider } from './provider.ts'
import { type BatchHead, lockBatch, openItemIds, readBatchItems } from './queries.ts'

type SendOutcome = Outcome & { sendStatusCode: 'SENT' | 'FAILED' }

/** Stores the files first: if that fails, the batch is marked as failed and nothing else has changed. */
export const sendBatch = async (call: WriteCall, services: Services, id: number): Promise<SendOutcome> => {
  const { db } = call
  const batch = await lockBatch(db, id)
  if (batch.send_status_code === 'SENT') throw conflict(`Billing batch ${id} has already been sent`)
  const ids = await openItemIds(db, id)
  await lockRequisitionRows(db, ids)
  const open = new Set(ids)
  const checked = checkItems(await readBatchItems(db, batch), services)
    .filter(({ item }) => open.has(item.reqId))
    .map(({ item, fault }) => ({
      item,
      fault: item.statusCode === 'INBILL' ? fault : 'Its status was changed after it was put into the batch',
    }))
  const billed = checked.filter(({ fault }) => fault === null).map(({ item }) => item)
  const [first] = checked
  if (billed.length === 0)
    throw conflict(
      first
        ? `Nothing in billing batch ${id} can be billed. #${first.item.reqId}: ${first.fault}`
        : `Billing batch ${id} is empty`,
    )
  const provider = billingProvider(services.config)
  const at = { instant: new Date(), zone: await getHomeZone(db) }
  const stored = await storeFiles(call, services, id, await makeBatchFiles({ batchId: id, at, provider, checked }))
  if (!stored) return recordFailure(call, batch)
  await freezeCharges(db, id, billed)
  await setStatus(db, call.actor, call.requestId, idsOf(billed), findMove('INBILL', 'BILL', 'BILLINGBATCH') as Move)
  const leftOut = checked.filter((one): one is CheckedItem & { fault: string } => one.fault !== null)
  await removeLeftOut(call, id, leftOut)
  await recordSendStatus(call, batch, { code: 'SENT', count: billed.length })
  return { moved: idsOf(billed), refused: leftOut.map(refusalOf), sendStatusCode: 'SENT' }
}

const idsOf = (items: readonly BillItem[]) => items.map(({ reqId }) => reqId)

const refusalOf = ({ item, fault }: CheckedItem): Refusal => ({
  id: item.reqId,
  label: `#${item.reqId} | ${item.patient.lastName}, ${item.patient.firstName}`,
  reason: `Requisition #${item.reqId}: ${fault}`,
  tabSlug: 'billing',
  ...unpricedClient(item, fault),
})

const storeFiles = async (
  { db, actor }: WriteCall,
  services: Services,
  batchId: number,
  files: readonly BatchFile[],
) => {
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

const recordFailure = async (call: WriteCall, batch: BatchHead): Promise<SendOutcome> => {
  await call.db.deleteFrom('billing_batch_file').where('batch_id', '=', batch.id).execute()
  await recordSendStatus(call, batch, { code: 'FAILED' })
  return { moved: [], refused: [], sendStatusCode: 'FAILED' }
}

/** Stores amounts and bill types as billed, so that later changes do not affect them. */
const freezeCharges = async (trx: Trx, batchId: number, billed: readonly BillItem[]) => {
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

/** Makes them ready for the next batch, with the reason as a billing note. */
const removeLeftOut = async (
  call: WriteCall,
  batchId: number,
  leftOut: readonly (CheckedItem & { fault: string })[],
) => {
  const { db, actor, requestId } = call
  if (leftOut.length === 0) return
  const ids = leftOut.map(({ item }) => item.reqId)
  const reasons = leftOut.map(({ fault }) => fault)
  await sql`update billing_batch_item i set is_open = false, left_out = x.reason from unnest(${ids}::bigint[], ${reasons}::text[]) as x(id, reason)
    where i.batch_id = ${batchId} and i.requisition_id = x.id`.execute(db)
  await sql`insert into billing_note (requisition_id, note) select x.id, 'Not billed in batch ' || ${batchId}::text || ': ' || x.reason
    from unnest(${ids}::bigint[], ${reasons}::text[]) as x(id, reason)`.execute(db)
  const inBatch = leftOut.filter(({ item }) => item.statusCode === 'INBILL').map(({ item }) => item.reqId)
  await setStatus(db, actor, requestId, inBatch, {
    from: 'INBILL',
    to: 'READYBILL',
    reason: `Taken out of billing batch ${batchId}`,
  })
}

const recordSendStatus = async (
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
