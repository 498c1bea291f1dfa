import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { billedCharges } from '../billing/queries.ts'
import { readyItems } from './queries.ts'

/** A bill that is out already. */
export interface BilledBefore {
  batchId: number
  /** In words, for plan, refusal, history and note. */
  reason: string
  /** It has tests by now that the bill does not contain, so that somebody has to decide about them. */
  hasMore: boolean
}

/** Those of the requisitions that a sent batch has billed, each with the last such batch; what it was left out of has not billed it. */
export const billedBefore = async (db: Db, requisitionIds: readonly number[]): Promise<Map<number, BilledBefore>> => {
  const { rows } = await sql<{ id: number; batchId: number }>`
    select i.requisition_id as id, max(i.batch_id) as "batchId" from billing_batch_item i join billing_batch b on b.id = i.batch_id
    where i.requisition_id = any(${[...requisitionIds]}::bigint[]) and i.left_out is null and b.send_status_code = 'SENT' group by 1`.execute(
    db,
  )
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ id }) => id)
  const charged = new Set((await billedCharges(db, ids, null)).map(lineOf))
  const items = new Map((await readyItems(db, ids)).map((item) => [item.reqId, item]))
  return new Map(
    rows.map(({ id, batchId }) => {
      const item = items.get(id)
      const lines = item && item.billTypeCode !== 'NOCHARGE' ? item.charges : []
      const more = lines.filter((line) => !charged.has(lineOf(line))).map(({ testCode }) => testCode)
      const reason = `Already billed in batch ${batchId}${more.length > 0 ? `; not charged there: ${more.join(', ')}` : ''}`
      return [id, { batchId, reason, hasMore: more.length > 0 }]
    }),
  )
}

const lineOf = ({ requisitionId, testId }: { requisitionId: number; testId: number }) => `${requisitionId} ${testId}`
