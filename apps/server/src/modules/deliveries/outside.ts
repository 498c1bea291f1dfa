import { transmitMethods } from '@lis/contract/deliveries.ts'
import { deliveredOutside, moveQuestions } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import type { AskingCall, WriteCall } from '../../platform/http/implement.ts'
import { arrivals } from '../reports/queries.ts'
import { type Arrived, arrived } from './arrived.ts'
import { findRecipients } from './recipients.ts'

interface Unsent {
  requisition_id: number
  id: number
  version_no: number
}

/** Released reports of these requisitions that have reached nobody who is to have them today. */
const findUnsent = async (db: Db, requisitionIds: readonly number[]): Promise<Unsent[]> => {
  const { rows } = await sql<Unsent>`
    select p.requisition_id, p.id, v.version_no from report p join report_version v on v.report_id = p.id and v.version_no = p.current_version_no
    where p.requisition_id = any(${[...requisitionIds]}::bigint[]) and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE'
      and not exists (${arrivals}) order by p.requisition_id, p.id`.execute(db)
  return rows
}

/** Those of the requisitions that would count as delivered although a released report was never sent. */
export const findNeverSent = async (db: Db, requisitionIds: readonly number[]): Promise<number[]> => {
  const unsent = await findUnsent(db, requisitionIds)
  return [...new Set(unsent.map((report) => report.requisition_id))]
}

/** Asks how reports that were never sent from here have reached their receivers; nothing where all were sent. Returns the way in words. */
export const askHowDelivered = ({ questions }: AskingCall, neverSent: readonly number[], total: number) => {
  if (neverSent.length === 0) return null
  const shown = neverSent.slice(0, 5).map((id) => `#${id}`)
  const more = neverSent.length > 5 ? ` and ${neverSent.length - 5} more` : ''
  const what = total === 1 ? 'The report was' : `${neverSent.length} of these ${total} were`
  const answer = questions.ask({
    code: moveQuestions.neverSent,
    field: 'id',
    title: 'Never sent from here',
    message: `${what} never sent: ${shown.join(', ')}${more}. How did the reports reach their receivers? To send them now, cancel and use 'Deliver'.`,
    reqIds: neverSent,
    choices: Object.entries(deliveredOutside).map(([value, label]) => ({ value, label })),
  })
  questions.requireAnswers()
  return deliveredOutside[answer as keyof typeof deliveredOutside]
}

/** Writes into the ledger that the unsent reports were handed over on paper, and how, on the word of the person who says so. */
export const recordDeliveredOutside = async (write: WriteCall, requisitionIds: readonly number[], how: string) => {
  const { db, actor, requestId } = write
  const answer = `${how}, not sent from here`
  // What still waits for a printer has been handed over with this.
  const printed =
    await sql<Arrived>`update report_delivery d set state = 'DELIVERED', delivered_at = now(), sent_at = now(), confirmed_at = now(), answer = ${answer}
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
  await arrived(write, rows)
}

const addLedgerRows = async (
  { db, actor }: WriteCall,
  requisitionIds: readonly number[],
  answer: string,
): Promise<Arrived[]> => {
  const recipients = await findRecipients(db, requisitionIds)
  const planned = (await findUnsent(db, requisitionIds)).flatMap(({ requisition_id, id, version_no }) => {
    // The practice, or the collaborator where only that one gets reports: of a copy nobody has said anything.
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
        sha256: sql<Buffer>`(select f.sha256 from report_version v join stored_file f on f.id = v.file_id where v.report_id = ${report.report_id} and v.version_no = ${report.report_version_no})`,
      })),
    )
    .returningAll()
    .execute()
}
