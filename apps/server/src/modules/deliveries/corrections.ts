import { type TransmitMethodCode, transmitMethods } from '@lis/contract/deliveries.ts'
import { findMove, type Move } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { runMove } from '../life-cycle/service.ts'
import { addReportEvents } from '../reports/service.ts'
import { raiseFormerRecipientIssue, recipientLabel } from './failures.ts'
import { findQcRefusal } from './plan.ts'
import {
  findCurrentRecipient,
  findRecipientsOfRequisition,
  type LedgerAddress,
  unreachableReason,
} from './recipients.ts'
import { type PlannedDelivery, startDeliveries } from './start-deliveries.ts'

interface EarlierRecipient extends LedgerAddress {
  /** The latest version delivered to them. */
  has_version: number | null
  /** They were sent a version that this one replaces. */
  is_replaced: boolean
}

/**
 * Sends a corrected report to everyone who was sent the one it replaces, by the same method, also where that was not delivered. A former
 * recipient is not sent it, because the requisition may have another patient by now: a person has to inform them. The former practice or
 * collaborator, being printed on the report, has to be informed even when the version they have is released again for others; a former
 * recipient of a copy need not.
 */
export const propagateRelease = async (
  write: WriteCall,
  { requisitionId, reportId, versionNo }: { requisitionId: number; reportId: number; versionNo: number },
): Promise<number[]> => {
  if (versionNo > 1) await moveForward(write, requisitionId)
  const { rows: earlier } = await sql<EarlierRecipient>`
    select recipient_kind, transmit_method_code, party_id, recipient_name, recipient, max(report_version_no) filter (where delivered_at is not null) as has_version,
      min(report_version_no) < ${versionNo}::int as is_replaced
    from report_delivery d where report_id = ${reportId}::bigint and report_version_no <= ${versionNo}::int group by 1, 2, 3, 4, 5 order by max(id)`.execute(
    write.db,
  )
  if (earlier.length === 0) return []
  const known = await findRecipientsOfRequisition(write.db, requisitionId)
  const holders = await findHolders(write.db, reportId, versionNo)
  const unchecked = await findQcRefusal(write.db, requisitionId)
  const planned = new Map<string, PlannedDelivery>()
  const former: EarlierRecipient[] = []
  for (const row of earlier) {
    const now = findCurrentRecipient(known, row)
    const held = holders.filter((one) => partyKey(one) === partyKey(row))
    const mustBeInformed = row.recipient_kind !== 'COPY' || !held.some(({ state }) => state === 'DELIVERED')
    if (!now && row.has_version !== null && mustBeInformed) former.push(row)
    const same = held.findLast((one) => one.transmit_method_code === row.transmit_method_code)
    const isToBeSent = same ? same.is_of_another : row.is_replaced
    if (!now || !isToBeSent) continue
    const recipient = { ...now, address: now.address || row.recipient }
    const failure = unreachableReason(now) ?? unchecked
    const what = { requisitionId, reportId, versionNo, recipient, isCorrection: true, failure }
    planned.set(`${recipient.method} ${recipient.address}`, what)
  }
  await reportFormerRecipients(write, { requisitionId, reportId, versionNo }, former)
  return startDeliveries(write, [...planned.values()])
}

const correctedMoves = [findMove('RESULT', 'REPORT', 'BULK'), findMove('REPORT', 'RELEASE', 'BULK')] as Move[]

/** A requisition that was moved back for the correction returns to Released with its corrected report. */
const moveForward = async (write: WriteCall, requisitionId: number) => {
  for (const move of correctedMoves)
    await runMove(write, [requisitionId], { ...move, reason: 'Corrected report released' })
}

interface VersionHolder extends LedgerAddress {
  state: string
  /** Sent by HL7 under another patient than the present one: the receiving system filed it in that patient's chart. */
  is_of_another: boolean
}

/** Recipients who have this version or are about to: it is not sent to them again. The oldest first. */
const findHolders = async (db: Db, reportId: number, versionNo: number): Promise<VersionHolder[]> => {
  const { rows } = await sql<VersionHolder>`
    select d.recipient_kind, d.transmit_method_code, d.party_id, d.recipient_name, d.recipient, d.state,
      d.state = 'DELIVERED' and d.transmit_method_code = 'HL7' and coalesce(m.patient_id <> r.patient_id, false) as is_of_another
    from report_delivery d join requisition r on r.id = d.requisition_id left join outbox_message m on m.id = d.message_id
    where d.report_id = ${reportId}::bigint and d.report_version_no = ${versionNo}::int and d.state in ('DELIVERED', 'PENDING') order by d.id`.execute(
    db,
  )
  return rows
}

/** Rows with the same key went to the same party. */
const partyKey = (row: LedgerAddress) => `${row.recipient_kind} ${row.party_id ?? recipientLabel(row)}`

const reportFormerRecipients = async (
  { db, actor }: WriteCall,
  { requisitionId, reportId, versionNo }: { requisitionId: number; reportId: number; versionNo: number },
  former: readonly EarlierRecipient[],
) => {
  const events = await db
    .selectFrom('report_event')
    .select('detail')
    .where('report_id', '=', reportId)
    .where('version_no', '=', versionNo)
    .where('action_code', '=', 'DELIVSTOP')
    .execute()
  const known = new Set(events.map(({ detail }) => detail))
  for (const rows of Map.groupBy(former, partyKey).values()) {
    const name = recipientLabel(rows.at(-1) as EarlierRecipient)
    const has = Math.max(...rows.map(({ has_version }) => has_version ?? 0))
    const what = `${name} has version ${has} of this report and is no longer a receiver`
    if (known.has(what)) continue
    await addReportEvents(db, actor.userId, [{ reportId, versionNo, action: 'DELIVSTOP', detail: what }])
    const addresses = rows.map(
      (row) => `${transmitMethods[row.transmit_method_code as TransmitMethodCode]} to ${row.recipient}`,
    )
    await raiseFormerRecipientIssue(db, requisitionId, {
      what: `${what}: tell them`,
      note: `It was sent by ${[...new Set(addresses)].join(', ')}.${has < versionNo ? ` Version ${versionNo} has not been sent to them.` : ''}`,
    })
  }
}
