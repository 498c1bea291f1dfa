import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { lastSentBatches, listBilledCharges } from '../billing/queries.ts'
import { readItemsOfRequisitions } from './queries.ts'

/** The last bill of a requisition. */
export interface EarlierBill {
  batchId: number
  /** Text for plan, refusal, history and note. */
  reason: string
  /** A person has to decide: there is more to charge, another payer, or it was put back to billing. */
  needsDecision: boolean
}

/** Some audit entries have the complete record, so only a different value is a change. */
const changesPayer = sql<boolean>`case when a.entity = 'insurance' then a.old_data - 'version' is distinct from a.new_data - 'version'
  else exists (select from unnest(array['patientId', 'clientName', 'reqBillTypeCode']) f where a.new_data ? f and a.old_data -> f is distinct from a.new_data -> f) end`

/** The last bill of each requisition that a sent batch has billed. */
export const findEarlierBills = async (
  db: Db,
  requisitionIds: readonly number[],
): Promise<Map<number, EarlierBill>> => {
  const rows = await db
    .selectFrom(lastSentBatches(requisitionIds).as('x'))
    .select(({ exists, selectFrom }) => [
      'x.requisition_id as id',
      'x.batch_id as batchId',
      exists(
        selectFrom('audit_entry as a')
          .select('a.id')
          .whereRef('a.requisition_id', '=', 'x.requisition_id')
          .whereRef('a.at', '>', 'x.sent_at')
          .where(changesPayer),
      )
        .$castTo<boolean>()
        .as('hasOtherPayer'),
      exists(
        selectFrom('requisition_status_event as e')
          .select('e.id')
          .whereRef('e.requisition_id', '=', 'x.requisition_id')
          .whereRef('e.at', '>', 'x.sent_at')
          .where('e.to_code', 'in', [sql.lit('READYBILL'), sql.lit('MISSBILL')]),
      )
        .$castTo<boolean>()
        .as('wasReopened'),
    ])
    .execute()
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ id }) => id)
  const charged = new Set((await listBilledCharges(db, ids, null)).map(lineKey))
  const items = new Map((await readItemsOfRequisitions(db, ids)).map((item) => [item.reqId, item]))
  return new Map(
    rows.map(({ id, batchId, hasOtherPayer, wasReopened }) => {
      const item = items.get(id)
      const lines = item && item.billTypeCode !== 'NOCHARGE' ? item.charges : []
      const more = lines.filter((line) => !charged.has(lineKey(line))).map(({ testCode }) => testCode)
      const reason = [
        `Already billed in batch ${batchId}`,
        ...(hasOtherPayer ? ['who pays has changed since'] : []),
        ...(more.length > 0 ? [`not charged there: ${more.join(', ')}`] : []),
      ].join('; ')
      return [id, { batchId, reason, needsDecision: more.length > 0 || hasOtherPayer || wasReopened }]
    }),
  )
}

const lineKey = ({ requisitionId, testId }: { requisitionId: number; testId: number }) => `${requisitionId} ${testId}`
