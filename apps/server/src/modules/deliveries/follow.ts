import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import type { Outcome } from '../../platform/messaging/deliver.ts'
import { openIssue } from '../issues/service.ts'
import { addReportEvents } from '../reports/service.ts'
import { type Arrived, arrived, lateCall } from './service.ts'

interface Followed extends Arrived {
  id: number
  requested_by: number | null
  user_name: string | null
  recipient_name: string | null
}

/** Carries the fate of a message over to the ledger, in the transaction that records it. */
export const followMessage = async (trx: Trx, { messageId, state, detail }: Outcome) => {
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

const system = { userId: null, name: 'Delivery' } as const

/** Given up: it shows on the requisition and is the delivery department's to mend. The other deliveries go on. */
export const failed = async (trx: Trx, row: Followed, reason: string) => {
  await addReportEvents(trx, row.requested_by, [
    { reportId: row.report_id, versionNo: row.report_version_no, action: 'DELIVFAIL', detail: reason },
  ])
  await sql`insert into requisition_flag (requisition_id, flag_id) select ${row.requisition_id}::bigint, id from flag where code = 'DELIVERFAIL'
    on conflict do nothing`.execute(trx)
  const { rows } = await sql<{ reporter: number; resolver: number; is_open: boolean }>`
    select t.reporter_department_id as reporter, t.resolver_department_id as resolver, exists (select from issue i where i.issue_type_id = t.id
      and i.requisition_id = ${row.requisition_id}::bigint and i.status_code in ('OPEN', 'INPROG') and i.deleted_at is null) as is_open
    from issue_type t where t.code = 'DELIVFAIL'`.execute(trx)
  const type = rows[0]
  if (!type || type.is_open) return
  await openIssue(trx, system, null, row.requisition_id, {
    issueCode: 'DELIVFAIL',
    reporterDeptId: type.reporter,
    resolverDeptId: type.resolver,
    issueDesc: `The report could not be delivered to ${row.recipient_name ?? row.recipient}`,
    issueNote: reason,
  })
}
