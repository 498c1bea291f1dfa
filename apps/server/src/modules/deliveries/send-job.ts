import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError, conflict } from '../../platform/errors.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { unknownOutcomes } from '../../platform/messaging/message.ts'
import type { NewMessage } from '../../platform/messaging/outbox.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import { bodyOf } from '../../platform/messaging/raw-message.ts'
import type { Services } from '../../platform/services.ts'
import { storeFile } from '../../platform/storage/stored-files.ts'
import { findCodeOwners } from '../lookups/queries.ts'
import { findReportContent, type ReportContent } from '../reports/content.ts'
import { makeEncryptedCopy } from '../reports/pdf-copies.ts'
import { contentOfVersion } from '../reports/queries.ts'
import { recordFailedAttempt } from './message-outcomes.ts'
import { oruMessage } from './oru.ts'
import { findPartnerOrder, type PartnerOrder, recordOutgoing } from './partner-orders.ts'
import { retractionMessages, type SentMessage } from './retractions.ts'
import { sendJobKind } from './start-deliveries.ts'

type Tools = Pick<Services, 'store' | 'config'>

const retries = 10

/**
 * Writes the message of each delivery in its own transaction: after a crash it continues with the rows that have none. A row that
 * cannot be prepared now, for example because the disk is full, blocks no other; the job retries it.
 */
export const sendDeliveriesJob = defineJob<{ deliveryIds: number[] }>({
  kind: sendJobKind,
  maxSeconds: 3600,
  retry: { limit: retries, delaySeconds: 5 },
  run: async ({ services, progress, attempt }, { deliveryIds }) => {
    const db = services.databases(systemScope)
    let firstError: unknown
    for (const [index, id] of deliveryIds.entries()) {
      await progress(index, deliveryIds.length)
      try {
        await db.transaction().execute((trx) => prepare(trx, services, id))
      } catch (error) {
        firstError ??= error
        await db.transaction().execute((trx) => postpone(trx, id, (error as Error).message, attempt > retries))
      }
    }
    if (firstError) throw firstError
    return { prepared: deliveryIds.length }
  },
})

interface Row {
  id: number
  requisition_id: number
  report_id: number
  report_version_no: number
  transmit_method_code: 'EMAIL' | 'FAX' | 'HL7'
  recipient_kind: 'CLIENT' | 'COLA' | 'COPY'
  party_id: number | null
  recipient: string
  recipient_name: string | null
  requested_by: number | null
  user_name: string | null
  failure: string | null
  is_correction: boolean
  /** This recipient has an earlier version. */
  has_earlier: boolean
  file_id: number
  object_key: string
  /** Of the file of the version. */
  file_sha256: string
  original_name: string
  content: ReportContent | null
  correction_reason: string | null
  encrypt_pdf: boolean
  password: string
}

/** Locks the requisition before the delivery, as every other writer does. */
const lockRow = async (trx: Trx, id: number): Promise<Row | undefined> => {
  await sql`select 1 from requisition where id = (select requisition_id from report_delivery where id = ${id}::bigint) for no key update`.execute(
    trx,
  )
  const { rows } = await sql<Row>`
    select d.*, null as user_name, f.id as file_id, f.object_key, encode(f.sha256, 'hex') as file_sha256, f.original_name, ${contentOfVersion} as content, v.correction_reason,
      exists (select from report_delivery x where x.report_id = d.report_id and x.report_version_no < d.report_version_no and x.recipient_kind = d.recipient_kind
        and x.party_id = d.party_id and x.delivered_at is not null) as has_earlier,
      coalesce(c.encrypt_pdf, false) as encrypt_pdf, coalesce(c.legacy_client_id || '-' || to_char(p.dob, 'MMDDYYYY'), '') as password
    from report_delivery d join report_version v on v.report_id = d.report_id and v.version_no = d.report_version_no join stored_file f on f.id = report_file(v.report_id, v.version_no, v.file_id)
      join requisition r on r.id = d.requisition_id join requisition_patient p on p.requisition_id = r.id
      left join client c on d.recipient_kind <> 'COLA' and c.id = d.party_id
    where d.id = ${id}::bigint and d.state = 'PENDING' and d.message_id is null and d.transmit_method_code <> 'PRINT' for no key update of d`.execute(
    trx,
  )
  return rows[0]
}

const prepare = async (trx: Trx, tools: Tools, id: number) => {
  const row = await lockRow(trx, id)
  if (!row) return // done by an earlier run
  try {
    // Also where only a link is sent: a report that cannot be opened is not announced.
    await tools.store.verify(row.object_key, row.file_sha256)
    const { message, sha256, partnerOrder } = await messageOf(trx, tools, row)
    const { id: messageId, reference } = await queueMessage(trx, { ...message, dedupeKey: `report delivery ${id}` })
    if (partnerOrder)
      await recordOutgoing(trx, tools, {
        order: partnerOrder,
        requisitionId: row.requisition_id,
        messageId,
        reference,
        body: message.body,
      })
    await trx
      .updateTable('report_delivery')
      .set({ message_id: messageId, failure: null, ...(sha256 && { sha256 }) })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await recordUnsendable(trx, row, error.message, true)
  }
}

/** Records why the delivery waits; after the last attempt it has failed. */
const postpone = async (trx: Trx, id: number, reason: string, isLast: boolean) => {
  const row = await lockRow(trx, id)
  if (row) await recordUnsendable(trx, row, reason, isLast)
}

const recordUnsendable = async (trx: Trx, row: Row, failure: string, isLast: boolean) => {
  const state = isLast ? 'FAILED' : 'PENDING'
  await trx.updateTable('report_delivery').set({ state, failure }).where('id', '=', row.id).execute()
  const kind = isLast ? 'FAILED' : 'RETRY'
  await recordFailedAttempt(trx, row, { reason: failure, kind, isFirst: row.failure === null }, 0)
}

interface Prepared {
  message: NewMessage
  /** Set where the bytes sent differ from the stored ones. */
  sha256?: Buffer
  /** The order that came over an interface and gets its results there. */
  partnerOrder?: PartnerOrder
}

const messageOf = async (trx: Trx, tools: Tools, row: Row): Promise<Prepared> => {
  if (row.transmit_method_code === 'EMAIL') return mailOf(trx, tools, row)
  const message = { to: row.recipient, attachmentIds: [row.file_id] }
  if (row.transmit_method_code === 'FAX')
    return {
      message: { ...message, channel: 'FAX', subject: `Laboratory report #${row.requisition_id}`, body: faxText(row) },
    }
  const partnerOrder = await findPartnerOrder(trx, row.requisition_id, { kind: row.recipient_kind, id: row.party_id })
  if (!partnerOrder?.resultUrl) await requireUniqueOwner(trx, row.recipient)
  const content = row.content ?? (await findReportContent(trx, row.requisition_id))
  const to = { receiver: partnerOrder?.facility ?? row.recipient, sentAt: new Date() }
  const report = oruMessage({
    ...to,
    content,
    versionNo: row.report_version_no,
    correctionReason: row.correction_reason,
    partnerOrder,
  })
  // Systems that file results by patient would keep showing them under the former one. One delivery: done when all messages are acknowledged.
  const retractions = retractionMessages(await findSentToOthers(trx, tools, row, content.patient.id), {
    ...to,
    patientId: content.patient.id,
  })
  const body = [...retractions, report].join('')
  const sent = {
    ...message,
    channel: 'HL7' as const,
    subject: `ORU^R01 #${row.requisition_id}`,
    body,
    encryptWith: tools,
    patientId: content.patient.id,
  }
  return partnerOrder
    ? { message: { ...sent, to: partnerOrder.resultUrl ?? message.to }, partnerOrder }
    : { message: sent }
}

/**
 * Every message of the requisition that this party's interface has received, or may have: an acknowledgement can be lost. None where all
 * were about the present patient, so that nothing has to be taken back.
 */
const findSentToOthers = async (trx: Trx, tools: Tools, row: Row, patientId: number): Promise<SentMessage[]> => {
  const unknown = Object.values(unknownOutcomes).map((text) => `${text}%`)
  const { rows } = await sql<SentMessage & { encrypted_body: Buffer | null; patient_id: number | null }>`
    select m.body, m.encrypted_body, m.patient_id, d.delivered_at is not null as is_acknowledged from report_delivery d join outbox_message m on m.id = d.message_id
    where d.requisition_id = ${row.requisition_id}::bigint and d.transmit_method_code = 'HL7' and d.party_id = ${row.party_id}::int
      and (d.recipient_kind = 'COLA') = ${row.recipient_kind === 'COLA'}
      and (d.delivered_at is not null or m.state = 'SENDING' or exists (select from outbox_attempt a where a.message_id = m.id and a.detail like any(${unknown}::text[])))
    order by m.id`.execute(trx)
  if (rows.every((one) => one.patient_id === patientId)) return []
  return rows.map((one) => ({ body: bodyOf(tools, one), is_acknowledged: one.is_acknowledged }))
}

/** Old ids and aliases may not be unique: which interface is meant must not be guessed. */
const requireUniqueOwner = async (trx: Trx, code: string) => {
  // Does not name the others: the practice reads this text too.
  if ((await findCodeOwners(trx, code)).length > 1)
    throw conflict(
      `${code} is the Client ID or alias of more than one client or collaborator; give each its own, then resend`,
    )
}

const confidential = 'This message is confidential. If it is not meant for you, please delete it and tell us.'
const correctedText = ({ is_correction, has_earlier, report_version_no, correction_reason }: Row) => {
  if (!is_correction && report_version_no === 1) return ''
  const reason = correction_reason ? `\nReason: ${correction_reason}` : ''
  return `\n\nThis is a CORRECTED report.${replacedText(is_correction, has_earlier)}${reason}`
}
/** A first-time recipient would look for a report they never had; an earlier one may have been delivered without confirmation. */
const replacedText = (isCorrection: boolean, hasEarlier: boolean) => {
  if (hasEarlier) return ' It replaces the one you received before; please discard that.'
  return isCorrection ? ' If you have received an earlier one, please discard it.' : ''
}
const faxText = (row: Row) =>
  `Laboratory report for ${row.recipient_name ?? row.recipient}, requisition #${row.requisition_id}.${correctedText(row)}\n\n${confidential}`

/** The page of the report. A copy is read by the copied physician, who has the requisition list but not the requisition pages. */
const pathOf = ({ recipient_kind, requisition_id }: Row) => {
  if (recipient_kind !== 'COPY') return `/requisitions/${requisition_id}/show/reportsDelivery`
  const filter = [{ id: 'reqId', value: [String(requisition_id)], viewValue: String(requisition_id) }]
  return `/requisitions?smartFilter=${encodeURIComponent(JSON.stringify(filter))}`
}

/** The text contains no name and no result: the link requires a sign-in and the PDF, where the client wants it, a password. */
const mailOf = async (trx: Trx, { store, config }: Tools, row: Row): Promise<Prepared> => {
  const link = `${config.publicUrl}${pathOf(row)}`
  const subject = `${row.report_version_no > 1 ? 'Corrected laboratory report' : 'Laboratory report'} for requisition #${row.requisition_id}`
  const opening = `A laboratory report is ready for you in the portal:\n${link}${correctedText(row)}`
  const mail = { channel: 'EMAIL' as const, to: row.recipient, subject }
  if (!row.encrypt_pdf) return { message: { ...mail, body: `${opening}\n\n${confidential}` } }
  const bytes = await makeEncryptedCopy(() => store.read(row.object_key, row.file_sha256), row.password)
  const file = await storeFile(trx, store, {
    key: `deliveries/${row.id}/${randomUUID()}.pdf`,
    body: bytes,
    originalName: `${row.requisition_id}.pdf`,
    contentType: 'application/pdf',
    createdBy: row.requested_by,
  })
  const password =
    'The attached PDF opens with your client ID, a hyphen and the date of birth of the patient, for example C-0420-01021960.'
  return {
    message: { ...mail, body: `${opening}\n\n${password}\n\n${confidential}`, attachmentIds: [file.id] },
    sha256: file.sha256,
  }
}
