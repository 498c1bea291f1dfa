import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { lastSentBatches, listBilledCharges } from '../billing/queries.ts'
import { readItemsOfRequisitions } from './queries.ts'

/** A bill that is out already. */
export interface EarlierBill {
  batchId: number
  /** In words, for plan, refusal, history and note. */
  reason: string
  /** Somebody has to decide: there is more to charge than the bill contains, somebody else has to pay, or it was to be billed again. */
  isOpen: boolean
}

/** Some entries hold the whole record, so that only a value which differs is a change. */
const changesPayer = sql`case when a.entity = 'insurance' then a.old_data - 'version' is distinct from a.new_data - 'version'
  else exists (select from unnest(array['patientId', 'clientName', 'reqBillTypeCode']) f where a.new_data ? f and a.old_data -> f is distinct from a.new_data -> f) end`

/** Those of the requisitions that a sent batch has billed, each with the last such batch. */
export const findEarlierBills = async (
  db: Db,
  requisitionIds: readonly number[],
): Promise<Map<number, EarlierBill>> => {
  const { rows } = await sql<{ id: number; batchId: number; hasOtherPayer: boolean; wasReopened: boolean }>`
    select x.requisition_id as id, x.batch_id as "batchId",
      exists (select from audit_entry a where a.requisition_id = x.requisition_id and a.at > x.sent_at
        and ${changesPayer}) as "hasOtherPayer",
      exists (select from requisition_status_event e where e.requisition_id = x.requisition_id and e.at > x.sent_at
        and e.to_code in ('READYBILL', 'MISSBILL')) as "wasReopened"
    from (${lastSentBatches(requisitionIds)}) x`.execute(db)
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ id }) => id)
  const charged = new Set((await listBilledCharges(db, ids, null)).map(lineOf))
  const items = new Map((await readItemsOfRequisitions(db, ids)).map((item) => [item.reqId, item]))
  return new Map(
    rows.map(({ id, batchId, hasOtherPayer, wasReopened }) => {
      const item = items.get(id)
      const lines = item && item.billTypeCode !== 'NOCHARGE' ? item.charges : []
      const more = lines.filter((line) => !charged.has(lineOf(line))).map(({ testCode }) => testCode)
      const reason = [
        `Already billed in batch ${batchId}`,
        ...(hasOtherPayer ? ['who pays has changed since'] : []),
        ...(more.length > 0 ? [`not charged there: ${more.join(', ')}`] : []),
      ].join('; ')
      return [id, { batchId, reason, isOpen: more.length > 0 || hasOtherPayer || wasReopened }]
    }),
  )
}

const lineOf = ({ requisitionId, testId }: { requisitionId: number; testId: number }) => `${requisitionId} ${testId}`
