import { transmitMethods } from '@lis/contract/deliveries.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findUnsentReports } from '../life-cycle/never-sent.ts'
import { findRecipients } from './recipients.ts'
import { type DeliveredRow, recordDelivered } from './record-delivered.ts'

/** Records the unsent reports as handed over on paper, and how, as the person states. */
export const recordDeliveredOutside = async (write: WriteCall, requisitionIds: readonly number[], how: string) => {
  const { db, actor, requestId } = write
  const answer = `${how}, not sent from here`
  // Reports that still wait for a printer count as handed over too.
  const printed =
    await sql<DeliveredRow>`update report_delivery d set state = 'DELIVERED', delivered_at = now(), sent_at = now(), confirmed_at = now(), answer = ${answer}
    where d.requisition_id = any(${[...requisitionIds]}::bigint[]) and d.state = 'PENDING' and d.transmit_method_code = 'PRINT' returning d.*`.execute(
      db,
    )
  const rows = [...printed.rows, ...(await addLedgerRows(write, requisitionIds, answer))]
  await recordAudit(
    db,
    actor,
    requestId,
    rows.map((row) => ({
      entity: 'requisition',
      entityId: row.requisition_id,
      requisitionId: row.requisition_id,
      action: 'DELIVERY',
      reason: how,
      new: {
        reportId: row.report_id,
        versionNo: row.report_version_no,
        transmitMethod: transmitMethods.PRINT,
        deliveredTo: row.recipient,
      },
    })),
  )
  await recordDelivered(write, rows)
}

const addLedgerRows = async (
  { db, actor }: WriteCall,
  requisitionIds: readonly number[],
  answer: string,
): Promise<DeliveredRow[]> => {
  const recipients = await findRecipients(db, requisitionIds)
  const planned = (await findUnsentReports(db, requisitionIds)).flatMap(({ requisition_id, id, version_no }) => {
    // The practice, or the collaborator where only that one gets reports. The statement says nothing about copies.
    const [recipient] = recipients.get(requisition_id)?.all ?? []
    return recipient ? [{ requisition_id, report_id: id, report_version_no: version_no, recipient }] : []
  })
  if (planned.length === 0) return []
  const now = sql<string>`now()`
  return db
    .insertInto('report_delivery')
    .values(
      planned.map(({ recipient, ...report }) => ({
        ...report,
        transmit_method_code: 'PRINT',
        recipient: recipient.name,
        recipient_kind: recipient.kind,
        party_id: recipient.partyId,
        recipient_name: recipient.name,
        requested_by: actor.userId,
        state: 'DELIVERED',
        delivered_at: now,
        sent_at: now,
        confirmed_at: now,
        answer,
        sha256: sql<Buffer>`(select f.sha256 from report_version v join stored_file f on f.id = report_file(v.report_id, v.version_no, v.file_id) where v.report_id = ${report.report_id} and v.version_no = ${report.report_version_no})`,
      })),
    )
    .returningAll()
    .execute()
}
