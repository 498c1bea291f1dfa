import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import type { Outcome } from '../../platform/messaging/deliver.ts'
import { raiseIssue } from '../issues/service.ts'
import { addReportEvents } from '../reports/service.ts'
import { followNotification } from './notify.ts'
import { type Arrived, arrived, deliverer, lateCall } from './service.ts'

interface Followed extends Arrived {
  id: number
  requested_by: number | null
  user_name: string | null
  recipient_name: string | null
}

/** Carries the fate of a message over to the ledger, in the transaction that records it. */
export const followMessage = async (trx: Trx, outcome: Outcome) => {
  const { messageId, state, detail } = outcome
  await followNotification(trx, outcome)
  const { rows } = await sql<Followed>`
    update report_delivery d set answer = case when ${state} = 'SENT' then ${detail} else d.answer end, failure = case when ${state} = 'SENT' then null else ${detail} end,
      state = case ${state} when 'SENT' then 'DELIVERED' when 'DEAD' then 'FAILED' else d.state end,
      sent_at = case when ${state} = 'SENT' then now() end, delivered_at = case when ${state} = 'SENT' then now() end,
      confirmed_at = case when ${state} = 'SENT' and d.transmit_method_code = 'HL7' then now() end
    where d.message_id = ${messageId}::bigint and d.state = 'PENDING'
    returning d.*, (select first_name || ' ' || last_name from app_user where id = d.requested_by) as user_name`.execute(
    trx,
  )
  for (const row of rows) {
    if (state === 'SENT')
      await arrived(lateCall(trx, { id: row.requested_by ?? 0, name: row.user_name ?? 'System' }), [row])
    if (state === 'DEAD') await failed(trx, row, detail)
  }
}

/** Given up: it shows on the requisition and is the delivery department's to mend. The other deliveries go on. */
export const failed = async (trx: Trx, row: Followed, reason: string) => {
  await addReportEvents(trx, row.requested_by, [
    { reportId: row.report_id, versionNo: row.report_version_no, action: 'DELIVFAIL', detail: reason },
  ])
  await sql`insert into requisition_flag (requisition_id, flag_id) select ${row.requisition_id}::bigint, id from flag where code = 'DELIVERFAIL'
    on conflict do nothing`.execute(trx)
  await raiseIssue(trx, row.requisition_id, 'DELIVFAIL', {
    by: deliverer,
    issueDesc: `The report could not be delivered to ${row.recipient_name ?? row.recipient}`,
    issueNote: reason,
  })
}
