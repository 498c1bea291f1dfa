import { randomUUID } from 'node:crypto'
import {
  type BulkReceiver,
  type DeliveryPlan,
  type TransmitMethodCode,
  transmitMethods,
} from '@lis/contract/deliveries.ts'
import { repeatWindowMs } from '@lis/contract/kit/route.ts'
import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import {
  displayStatus,
  findMove,
  type Move,
  refusals,
  type StatusCode,
  statusOf,
} from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { runMove } from '../life-cycle/service.ts'
import { addReportEvents } from '../reports/service.ts'
import { isDemographicQcReopened, lockRequisition } from '../requisition-record/queries.ts'
import { arrived } from './arrived.ts'
import { receiverOf, showDeliveryFailure, showFormerReceiver } from './failures.ts'
import {
  type Addressed,
  findRecipients,
  type Recipient,
  type Recipients,
  receiversOf,
  samePartyNow,
  unreachable,
} from './recipients.ts'
import { lastPatientIn } from './take-back.ts'
import { withdrawMisaddressed } from './withdraw.ts'

/** What is sent to whom: one future row of the ledger. */
interface Planned {
  requisitionId: number
  reportId: number
  versionNo: number
  recipient: Recipient
  isCorrection?: boolean
  resendOf?: number
  /** Why it cannot be sent: the ledger then says so, and it is somebody's to mend. */
  failure?: string | null
}

/** Kind of the job that writes the messages; named here because the job itself needs this file. */
export const sendJobKind = 'deliveries.send'

interface Candidate {
  id: number
  label: string
  status_code: StatusCode
  reports: { id: number; versionNo: number }[]
  has_open: boolean
  is_unchecked: boolean
}

const releasedFrom = statusOf('RELEASE').sortOrder

/** Which requisitions can be delivered, each with what would go, and why each other one cannot. */
const plan = async (
  { db }: Pick<WriteCall, 'db'> | { db: Db },
  ids: readonly number[],
): Promise<{ outcome: Outcome; planned: Planned[] }> => {
  const [candidates, recipients] = [await findCandidates(db, ids), await findRecipients(db, ids)]
  const outcome: Outcome = { moved: [], refused: [] }
  const planned: Planned[] = []
  for (const id of ids) {
    const candidate = candidates.get(id)
    const all = recipients.get(id)?.all ?? []
    const why = candidate ? refusalOf(candidate, all) : { reason: `Requisition #${id} not found`, tabSlug: null }
    if (why || !candidate) {
      outcome.refused.push({ id, label: candidate?.label ?? `#${id}`, ...(why as Omit<Refusal, 'id' | 'label'>) })
      continue
    }
    outcome.moved.push(id)
    for (const report of candidate.reports)
      for (const recipient of all) {
        // A copy that nobody could open holds up neither the others nor the requisition.
        const failure = unreachable(recipient)
        planned.push({ requisitionId: id, reportId: report.id, versionNo: report.versionNo, recipient, failure })
      }
  }
  return { outcome, planned }
}

const findCandidates = async (trx: Db, ids: readonly number[]): Promise<Map<number, Candidate>> => {
  // Row-level security leaves out what the person may not see.
  const { rows } = await sql<Candidate>`
    select r.id, r.status_code, '#' || r.id || ' | ' || p.last_name || ', ' || p.first_name || ' (' || to_char(p.dob, 'MM/DD/YYYY') || ')' as label,
      coalesce((select json_agg(json_build_object('id', x.id, 'versionNo', x.current_version_no) order by x.id) from report x
        where x.requisition_id = r.id and x.deleted_at is null and x.lab_qc_status_code = 'RELEASE'), '[]') as reports,
      exists (select from report_delivery d join report x on x.id = d.report_id and x.current_version_no = d.report_version_no
        where d.requisition_id = r.id and d.state = 'PENDING') as has_open, ${isDemographicQcReopened} as is_unchecked
    from requisition r join requisition_patient p on p.requisition_id = r.id where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null`.execute(
    trx,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const refusalOf = (candidate: Candidate, recipients: readonly Recipient[]): Omit<Refusal, 'id' | 'label'> | null => {
  const { id, status_code: status, reports, has_open, is_unchecked } = candidate
  const refuse = (reason: string, tabSlug = 'reportsDelivery') => ({ reason: `Requisition #${id} ${reason}`, tabSlug })
  if (statusOf(status).sortOrder < releasedFrom) return refuse(`is ${displayStatus(status)}, not Released`, 'status')
  if (is_unchecked) return { reason: refusals.demographicQcPassed(id), tabSlug: 'reportsDelivery' }
  if (reports.length === 0) return refuse('has no report with lab QC result RELEASE')
  if (has_open) return refuse('is already on its way')
  const unknown = recipients.find(({ address }) => address === '')
  return unknown ? refuse(`cannot be sent: ${unreachable(unknown)}`) : null
}

/** What a delivery of these would send, and to whom; each receiver once. */
export const planDeliveries = async (
  write: WriteCall,
  ids: readonly number[],
): Promise<Outcome & { receivers: BulkReceiver[] }> => {
  const { outcome, planned } = await plan(write, ids)
  const receivers = new Map<string, BulkReceiver>()
  for (const { requisitionId, recipient } of planned) {
    const shown = shownReceiver(recipient)
    const key = JSON.stringify(shown)
    const known = receivers.get(key) ?? { ...shown, reqIds: [], reportCount: 0 }
    known.reportCount += 1
    if (known.reqIds.at(-1) !== requisitionId) known.reqIds.push(requisitionId)
    receivers.set(key, known)
  }
  return { ...outcome, receivers: [...receivers.values()] }
}

const shownReceiver = (recipient: Recipient) => ({
  name: recipient.name,
  transmitMethodDesc: transmitMethods[recipient.method],
  recipient: recipient.address,
  problem: unreachable(recipient),
})

/** What a delivery of one requisition would send, and to whom; who asks must have been let to the requisition. */
export const planDelivery = async (db: Db, requisitionId: number): Promise<DeliveryPlan> => {
  const { outcome } = await plan({ db }, [requisitionId])
  const { rows } = await sql<DeliveryPlan['reports'][number]>`
    select p.id, f.original_name as "reportOriginalFileName", p.current_version_no as "versionNo" from report p
      join report_version v on v.report_id = p.id and v.version_no = p.current_version_no join stored_file f on f.id = v.file_id
    where p.requisition_id = ${requisitionId}::bigint and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE' order by p.id`.execute(
    db,
  )
  const receivers = (await receiversOf(db, requisitionId))?.all ?? []
  return {
    reports: rows,
    receivers: receivers.map(shownReceiver),
    refusal: outcome.refused[0]?.reason ?? null,
  }
}

/** Every released report of these requisitions to all who should have it. What cannot go is named and holds up nothing else. */
export const deliverRequisitions = async (write: WriteCall, ids: readonly number[]) => {
  await sql`select 1 from requisition where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(
    write.db,
  )
  const { outcome, planned } = await plan(write, ids)
  return { outcome, deliveryIds: await start(write, planned) }
}

/** Why nothing leaves until demographic QC has looked anew, or null. */
const whyUnchecked = async (db: Db, requisitionId: number): Promise<string | null> => {
  const { rows } =
    await sql`select from requisition r where r.id = ${requisitionId}::bigint and ${isDemographicQcReopened}`.execute(
      db,
    )
  return rows.length > 0 ? refusals.demographicQcPassed(requisitionId) : null
}

const requireChecked = async (db: Db, requisitionId: number) => {
  const reason = await whyUnchecked(db, requisitionId)
  if (reason) throw conflict(reason)
}

/** Chosen reports to the client by a chosen method. */
export const deliverReports = async (
  write: WriteCall,
  requisitionId: number,
  reportIds: readonly number[],
  method: TransmitMethodCode,
): Promise<number[]> => {
  await lockRequisition(write.db, write.actor, requisitionId)
  await requireChecked(write.db, requisitionId)
  const known = await receiversOf(write.db, requisitionId)
  const recipient = requireReachable(requisitionId, known?.again('CLIENT', method))
  await withdrawMisaddressed(write, requisitionId, known, { kind: 'CLIENT', reportIds })
  const reports = await releasedReports(write.db, requisitionId, reportIds)
  return start(
    write,
    reports.map(({ id, version_no }) => ({ requisitionId, reportId: id, versionNo: version_no, recipient })),
  )
}

const requireReachable = (requisitionId: number, recipient: Recipient | null | undefined): Recipient => {
  if (!recipient) throw conflict(`Requisition #${requisitionId} no longer has this receiver`)
  const reason = unreachable(recipient)
  if (reason) throw conflict(`Requisition #${requisitionId} cannot be sent: ${reason}`)
  return recipient
}

const releasedReports = async (trx: Trx, requisitionId: number, ids: readonly number[]) => {
  const found = await trx
    .selectFrom('report')
    .select(['id', 'current_version_no as version_no', 'lab_qc_status_code as qc'])
    .where('requisition_id', '=', requisitionId)
    .where('id', 'in', [...ids])
    .where('deleted_at', 'is', null)
    .execute()
  if (found.length < ids.length) throw notFound('Report')
  if (found.some(({ qc }) => qc !== 'RELEASE'))
    throw conflict(`Requisition #${requisitionId} has no report with lab QC result RELEASE among them`)
  return found
}

/** The same receiver again, with the version that counts now, at the address that is known now. What waits for its next attempt gets it at once. */
export const resend = async (write: WriteCall, deliveryId: number): Promise<number[]> => {
  const before = await write.db
    .selectFrom('report_delivery')
    .selectAll()
    .where('id', '=', deliveryId)
    .executeTakeFirst()
  if (!before) throw notFound('Delivery')
  await lockRequisition(write.db, write.actor, before.requisition_id)
  await requireChecked(write.db, before.requisition_id)
  const [report] = await releasedReports(write.db, before.requisition_id, [before.report_id])
  const repeated = await findResent(write, before.id, report?.version_no ?? before.report_version_no)
  if (repeated !== null) return [repeated]
  const known = await receiversOf(write.db, before.requisition_id)
  const recipient = requireReachable(before.requisition_id, wayToSameParty(known, before))
  const sent = { kind: before.recipient_kind, reportIds: [before.report_id] }
  await withdrawMisaddressed(write, before.requisition_id, known, sent)
  const ids = await start(write, [
    {
      requisitionId: before.requisition_id,
      reportId: before.report_id,
      versionNo: report?.version_no ?? before.report_version_no,
      recipient,
      isCorrection: before.is_correction,
      resendOf: before.id,
    },
  ])
  if (ids.length > 0) return ids
  if (!(await hasten(write, before))) throw conflict(`Requisition #${before.requisition_id} is already on its way`)
  return [before.id]
}

/** The same person has sent it again a moment ago, and it has arrived: a second click is no second delivery. */
const findResent = async ({ db, actor }: WriteCall, deliveryId: number, versionNo: number): Promise<number | null> => {
  const { rows } = await sql<{ id: number }>`
    select id from report_delivery where resend_of_id = ${deliveryId}::bigint and report_version_no = ${versionNo}::int and state = 'DELIVERED'
      and requested_by = ${actor.userId} and requested_at > now() - ${repeatWindowMs} * interval '1 ms' order by id desc limit 1`.execute(
    db,
  )
  return rows[0]?.id ?? null
}

/** The way it went, or was to go, unless that leads nowhere and the receiver has another one by now. */
const wayToSameParty = (known: Recipients | undefined, before: Addressed): Recipient | null => {
  const same = samePartyNow(known, before)
  if (!same || unreachable(same) === null) return same
  const present = known?.all.find(({ kind, partyId }) => kind === same.kind && partyId === same.partyId)
  return present && unreachable(present) === null ? present : same
}

/** False when there is nothing to hasten: it has not failed, or is being tried just now. */
const hasten = async (
  { db, actor, requestId }: WriteCall,
  { id, requisition_id: requisitionId, report_id: reportId }: { id: number; requisition_id: number; report_id: number },
): Promise<boolean> => {
  // Never waits for a sender, who waits for the requisition.
  const { rows } =
    await sql`update outbox_message set next_attempt_at = now() where id = (select m.id from report_delivery d join outbox_message m on m.id = d.message_id
    where d.id = ${id}::bigint and d.state = 'PENDING' and m.state = 'FAILED' for update of m skip locked) returning id`.execute(
      db,
    )
  if (rows.length === 0) return false
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'DELIVERY',
    new: { reportId, triedAgain: 'Yes' },
  })
  return true
}

interface Earlier extends Addressed {
  /** The latest that has reached them. */
  has_version: number | null
  /** They were sent one that this version replaces. */
  is_replaced: boolean
}

/**
 * A correction goes to everyone who was sent the report it replaces, by the same way; also to those whom that has not reached. Who is no
 * longer a receiver is not sent it, for it may be somebody else's patient by now: a person has to tell them. The practice and the
 * collaborator stand on the report, so they have to be told also when the very version that they have is released again for others; of a
 * copy it is no news.
 */
export const followRelease = async (
  write: WriteCall,
  { requisitionId, reportId, versionNo }: { requisitionId: number; reportId: number; versionNo: number },
): Promise<number[]> => {
  if (versionNo > 1) await moveOnCorrected(write, requisitionId)
  const { rows: earlier } = await sql<Earlier>`
    select recipient_kind, transmit_method_code, party_id, recipient_name, recipient, max(report_version_no) filter (where delivered_at is not null) as has_version,
      min(report_version_no) < ${versionNo}::int as is_replaced
    from report_delivery d where report_id = ${reportId}::bigint and report_version_no <= ${versionNo}::int group by 1, 2, 3, 4, 5 order by max(id)`.execute(
    write.db,
  )
  if (earlier.length === 0) return []
  const known = await receiversOf(write.db, requisitionId)
  const holders = await findHolders(write.db, reportId, versionNo)
  const unchecked = await whyUnchecked(write.db, requisitionId)
  const planned = new Map<string, Planned>()
  const former: Earlier[] = []
  for (const row of earlier) {
    const now = samePartyNow(known, row)
    const held = holders.filter((one) => partyOf(one) === partyOf(row))
    const isNews = row.recipient_kind !== 'COPY' || !held.some(({ state }) => state === 'DELIVERED')
    if (!now && row.has_version !== null && isNews) former.push(row)
    const same = held.findLast((one) => one.transmit_method_code === row.transmit_method_code)
    const goes = same ? same.is_of_another : row.is_replaced
    if (!now || !goes) continue
    const recipient = { ...now, address: now.address || row.recipient }
    const failure = unreachable(now) ?? unchecked
    const what = { requisitionId, reportId, versionNo, recipient, isCorrection: true, failure }
    planned.set(`${recipient.method} ${recipient.address}`, what)
  }
  await tellOfFormer(write, { requisitionId, reportId, versionNo }, former)
  return start(write, [...planned.values()])
}

const correctedMoves = [findMove('RESULT', 'REPORT', 'BULK'), findMove('REPORT', 'RELEASE', 'BULK')] as Move[]

/** Sent back to be corrected, it has been Released before: with its corrected report out nobody need move it there by hand. */
const moveOnCorrected = async (write: WriteCall, requisitionId: number) => {
  for (const move of correctedMoves)
    await runMove(write, [requisitionId], { ...move, reason: 'Corrected report released' })
}

interface Holder extends Addressed {
  state: string
  /** An interface files it by what the message says beside the file: under somebody else than the patient of now. */
  is_of_another: boolean
}

/** Released a second time, a version does not go again to those who have it, or to whom it is on its way. The oldest first. */
const findHolders = async (db: Db, reportId: number, versionNo: number): Promise<Holder[]> => {
  const { rows } = await sql<Holder>`
    select d.recipient_kind, d.transmit_method_code, d.party_id, d.recipient_name, d.recipient, d.state,
      d.state = 'DELIVERED' and d.transmit_method_code = 'HL7' and coalesce(${lastPatientIn(sql`m.body`)} <> r.patient_id::text, false) as is_of_another
    from report_delivery d join requisition r on r.id = d.requisition_id left join outbox_message m on m.id = d.message_id
    where d.report_id = ${reportId}::bigint and d.report_version_no = ${versionNo}::int and d.state in ('DELIVERED', 'PENDING') order by d.id`.execute(
    db,
  )
  return rows
}

/** Rows of the ledger that say the same here went to the same party. */
const partyOf = (row: Addressed) => `${row.recipient_kind} ${row.party_id ?? receiverOf(row)}`

const tellOfFormer = async (
  { db, actor }: WriteCall,
  { requisitionId, reportId, versionNo }: { requisitionId: number; reportId: number; versionNo: number },
  former: readonly Earlier[],
) => {
  const events = await db
    .selectFrom('report_event')
    .select('detail')
    .where('report_id', '=', reportId)
    .where('version_no', '=', versionNo)
    .where('action_code', '=', 'DELIVSTOP')
    .execute()
  const known = new Set(events.map(({ detail }) => detail))
  for (const ways of Map.groupBy(former, partyOf).values()) {
    const name = receiverOf(ways.at(-1) as Earlier)
    const has = Math.max(...ways.map(({ has_version }) => has_version ?? 0))
    const what = `${name} has version ${has} of this report and is no longer a receiver`
    if (known.has(what)) continue
    await addReportEvents(db, actor.userId, [{ reportId, versionNo, action: 'DELIVSTOP', detail: what }])
    const addresses = ways.map(
      (row) => `${transmitMethods[row.transmit_method_code as TransmitMethodCode]} to ${row.recipient}`,
    )
    await showFormerReceiver(db, requisitionId, {
      what: `${what}: tell them`,
      note: `It was sent by ${[...new Set(addresses)].join(', ')}.${has < versionNo ? ` Version ${versionNo} has not been sent to them.` : ''}`,
    })
  }
}

/** Writes the ledger and lets the job send it, in the transaction of the request. What lies in the portal has arrived with that. */
const start = async (write: WriteCall, planned: readonly Planned[]): Promise<number[]> => {
  const { db, actor, requestId } = write
  if (planned.length === 0) return []
  const now = sql<string>`now()`
  const inserted = await db
    .insertInto('report_delivery')
    .values(
      planned.map((one) => {
        const {
          requisitionId,
          reportId,
          versionNo,
          recipient,
          isCorrection = false,
          resendOf = null,
          failure = null,
        } = one
        const isThere = failure === null && recipient.method === 'PORTAL'
        return {
          requisition_id: requisitionId,
          report_id: reportId,
          report_version_no: versionNo,
          transmit_method_code: recipient.method,
          recipient: recipient.address,
          recipient_kind: recipient.kind,
          party_id: recipient.partyId,
          recipient_name: recipient.name,
          requested_by: actor.userId,
          is_correction: isCorrection,
          resend_of_id: resendOf,
          state: failure !== null ? 'FAILED' : isThere ? 'DELIVERED' : 'PENDING',
          failure,
          delivered_at: isThere ? now : null,
          sent_at: isThere ? now : null,
          answer: isThere ? 'Can be had in the portal' : null,
          sha256: sql<Buffer>`(select f.sha256 from report_version v join stored_file f on f.id = v.file_id where v.report_id = ${reportId} and v.version_no = ${versionNo})`,
        }
      }),
    )
    .onConflict((oc) =>
      oc
        .columns(['report_id', 'report_version_no', 'transmit_method_code', 'recipient'])
        // Spelled out, not a parameter: a kept plan could not know that it is the condition of the index.
        .where(sql`state`, '=', sql.lit('PENDING'))
        .doNothing(),
    )
    .returningAll()
    .execute()
  const possible = inserted.filter((row) => row.state !== 'FAILED')
  await recordAudit(
    db,
    actor,
    requestId,
    possible.map((row) => ({
      entity: 'requisition',
      entityId: row.requisition_id,
      requisitionId: row.requisition_id,
      action: 'DELIVERY',
      new: {
        reportId: row.report_id,
        versionNo: row.report_version_no,
        transmitMethod: transmitMethods[row.transmit_method_code as TransmitMethodCode],
        deliveredTo: row.recipient,
      },
    })),
  )
  for (const row of inserted.filter(({ state }) => state === 'FAILED'))
    await showDeliveryFailure(db, row, { reason: row.failure ?? '', ending: 'FAILED', isFirst: true })
  const waiting = inserted.filter((row) => row.state === 'PENDING' && row.transmit_method_code !== 'PRINT')
  if (waiting.length > 0)
    await startJob(db, sendJobKind, { deliveryIds: waiting.map(({ id }) => id) }, { userId: actor.userId })
  await arrived(
    write,
    inserted.filter((row) => row.state === 'DELIVERED'),
  )
  return inserted.map(({ id }) => id)
}

/** A printed report was handed over. */
export const confirmPrint = async (write: WriteCall, deliveryId: number) => {
  const { db, actor, requestId } = write
  const found = await db.selectFrom('report_delivery').selectAll().where('id', '=', deliveryId).executeTakeFirst()
  if (!found) throw notFound('Delivery')
  await lockRequisition(db, actor, found.requisition_id)
  await requireChecked(db, found.requisition_id)
  const now = sql<string>`now()`
  const row = await db
    .updateTable('report_delivery')
    .set({ state: 'DELIVERED', delivered_at: now, sent_at: now, confirmed_at: now, answer: `Printed by ${actor.name}` })
    .where('id', '=', deliveryId)
    .where('state', '=', 'PENDING')
    .where('transmit_method_code', '=', 'PRINT')
    .returningAll()
    .executeTakeFirst()
  if (!row) throw conflict('This delivery is not waiting for a printer')
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: row.requisition_id,
    requisitionId: row.requisition_id,
    action: 'DELIVERY',
    new: { reportId: row.report_id, transmitMethod: transmitMethods.PRINT, printed: 'Yes' },
  })
  await arrived(write, [row])
  return { id: row.id }
}

/** For what the system does by itself afterwards, on the word of the person who asked; without an id it is the system's own. */
export const lateCall = (trx: Trx, user: { id: number | null; name: string }): WriteCall => ({
  db: trx,
  requestId: randomUUID(),
  actor: {
    userId: user.id as number, // the audit and the history of reports take nobody too
    userName: '',
    name: user.name,
    role: 'STF',
    entityId: null,
    departmentIds: [],
    sessionId: '',
    scope: { role: 'STF', ids: [] },
  },
})
