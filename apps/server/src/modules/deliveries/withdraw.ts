import { refusals, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { DomainEvents } from '../../platform/domain-events.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Sql } from '../../platform/lists.ts'
import { isToCurrentRecipient } from '../life-cycle/current-deliveries.ts'
import { addReportEvents, setLabQc } from '../reports/service.ts'
import { isDemographicQcReopened } from '../requisition-record/queries.ts'
import { clearResolvedFailures, flagDeliveryFailure, isUnresolvedFailure } from './failures.ts'
import { dismissOutgoing } from './partner-orders.ts'
import { findRecipientsOfRequisition, type LedgerAddress, misaddressedReason, type Recipients } from './recipients.ts'

/**
 * Stops deliveries that have not been sent, because their report is in doubt. They stay on the work list until the recipient has a valid
 * version.
 */
export const withdrawDeliveries = (write: WriteCall, reportId: number, why: string) =>
  withdraw(write, sql`d.report_id = ${reportId}::bigint`, why)

interface Withdrawn {
  id: number
  message_id: number | null
  requisition_id: number
  report_id: number
  report_version_no: number
  recipient_kind: string
  recipient_name: string | null
  recipient: string
  failure: string
}

/** Ends the waiting rows among the `report_delivery` rows `d` and returns them. */
const withdraw = async ({ db, actor }: WriteCall, which: Sql, why: string): Promise<Withdrawn[]> => {
  const reason = `Withdrawn before it was sent: ${why}`
  // A message being sent cannot be stopped, and waiting for its sender would deadlock: it waits for the requisition.
  const { rows } = await sql<Withdrawn>`
    with stopped as (update outbox_message set state = 'DEAD' where id in (select m.id from report_delivery d join outbox_message m on m.id = d.message_id
      where ${which} and d.state = 'PENDING' and m.state in ('QUEUED', 'FAILED') for update of m skip locked) returning id),
      attempted as (insert into outbox_attempt (message_id, succeeded, detail) select id, false, left(${reason}, 500) from stopped)
    update report_delivery d set state = 'FAILED', failure = ${reason}
    where ${which} and d.state = 'PENDING' and (d.message_id is null or d.message_id in (select id from stopped))
    returning d.id, d.message_id, d.requisition_id, d.report_id, d.report_version_no, d.recipient_kind, d.recipient_name, d.recipient, d.failure`.execute(
    db,
  )
  const messageIds = rows.flatMap(({ message_id: id }) => id ?? [])
  await dismissOutgoing(db, messageIds, reason)
  await addReportEvents(
    db,
    actor.userId,
    rows.map(({ report_id: reportId, report_version_no: versionNo }) => ({
      reportId,
      versionNo,
      action: 'DELIVSTOP',
      detail: why,
    })),
  )
  return rows
}

/** Ends deliveries waiting for an outdated address or a former recipient. Flags each as failed, unless `sent` replaces it. */
export const withdrawMisaddressed = async (
  write: WriteCall,
  requisitionId: number,
  known: Recipients | undefined,
  sent?: { kind: string; reportIds: readonly number[] },
) => {
  const waiting = await write.db
    .selectFrom('report_delivery')
    .select(['id', 'recipient_kind', 'transmit_method_code', 'party_id', 'recipient_name', 'recipient'])
    .where('requisition_id', '=', requisitionId)
    .where('state', '=', 'PENDING')
    .execute()
  for (const row of waiting) {
    const why = misaddressedReason(known, row)
    if (!why) continue
    for (const ended of await withdraw(write, sql`d.id = ${row.id}::bigint`, why))
      if (ended.recipient_kind !== sent?.kind || !sent.reportIds.includes(ended.report_id))
        await flagDeliveryFailure(write.db, ended, { reason: ended.failure, kind: 'FAILED', isFirst: true })
  }
}

/** The requisition has other recipients now. A failed delivery to a former one no longer counts as a failure. */
export const propagateRecipients = async (write: WriteCall, requisitionId: number) => {
  await withdrawMisaddressed(write, requisitionId, await findRecipientsOfRequisition(write.db, requisitionId))
  await clearResolvedFailures(write.db, [requisitionId])
}

interface Waiting extends LedgerAddress {
  id: number
  requisition_id: number
  report_id: number
  version_no: number
  requested_by: number | null
  state: string
  is_deleted: boolean
  is_outdated: boolean
  is_unchecked: boolean
  /** A person sends the message again from the desk of the interfaces. */
  is_from_desk: boolean
}

/** Why a message must not be sent any more, or null. A message whose delivery has ended can only have been queued again by hand. */
const findWithdrawalReason = async (db: Db, messageId: number) => {
  const { rows } = await sql<Waiting>`
    select d.id, d.requisition_id, d.report_id, d.report_version_no as version_no, d.requested_by, d.recipient_kind, d.transmit_method_code, d.party_id,
      d.recipient_name, d.recipient, d.state, r.deleted_at is not null as is_deleted,
      (p.deleted_at is not null or p.lab_qc_status_code is distinct from 'RELEASE' or p.current_version_no <> d.report_version_no) as is_outdated,
      ${isDemographicQcReopened} as is_unchecked,
      exists (select from interface_message i where i.outbox_message_id = d.message_id and i.state = 'RETRYING') as is_from_desk
    from report_delivery d join report p on p.id = d.report_id join requisition r on r.id = d.requisition_id
    where d.message_id = ${messageId}::bigint`.execute(db)
  const [row] = rows
  if (!row) return null
  if (row.state !== 'PENDING' && !row.is_from_desk)
    return { row, why: `the delivery is over; only 'Resend' sends again`, isFailure: false }
  if (row.is_deleted) return { row, why: 'the requisition has been deleted', isFailure: false }
  if (row.is_outdated) return { row, why: 'the report has been corrected or held', isFailure: false }
  if (row.is_unchecked) return { row, why: refusals.demographicQcPassed(row.requisition_id), isFailure: true }
  const why = misaddressedReason(await findRecipientsOfRequisition(db, row.requisition_id), row)
  return why === null ? null : { row, why, isFailure: true }
}

/**
 * The last check before an attempt: since the message was queued, or a failed sender last held it, the report may have been corrected or
 * held, demographic QC withdrawn, or the recipient's address changed. True when it must not be sent.
 */
export const withdrawOutdated = async (db: Db, messageId: number): Promise<boolean> => {
  const seen = await findWithdrawalReason(db, messageId)
  if (!seen) return false
  return db.transaction().execute(async (trx) => {
    await sql`select 1 from requisition where id = ${seen.row.requisition_id}::bigint for no key update`.execute(trx)
    const found = await findWithdrawalReason(trx, messageId)
    if (!found) return false
    const { row, why, isFailure } = found
    const failure = `Withdrawn: ${why}`
    // Skips a locked message: its sender waits for the requisition that is locked here.
    const { rows } = await sql`
      with stopped as (update outbox_message set state = case when sent_at is null then 'DEAD' else 'SENT' end
        where id = (select id from outbox_message where id = ${messageId}::bigint for no key update skip locked) returning id),
      ended as (update report_delivery d set state = 'FAILED', failure = ${failure} from stopped where d.message_id = stopped.id and d.state = 'PENDING')
      insert into outbox_attempt (message_id, succeeded, detail) select id, false, left(${failure}, 500) from stopped returning id`.execute(
      trx,
    )
    if (rows.length > 0) await dismissOutgoing(trx, [messageId], failure)
    if (rows.length === 0 || row.state !== 'PENDING') return true
    const { report_id: reportId, version_no: versionNo } = row
    await addReportEvents(trx, row.requested_by, [{ reportId, versionNo, action: 'DELIVSTOP', detail: why }])
    if (isFailure) await flagDeliveryFailure(trx, row, { reason: failure, kind: 'FAILED', isFirst: true })
    return true
  })
}

interface ChangedTests {
  /** Tests whose result has been opened for modification. */
  opened?: readonly number[]
  /** Tests with other pass or fail codes, whose texts are printed on reports. */
  recoded?: readonly number[]
}

/**
 * Holds reports, released or not yet, that print a result which this transaction has modified, failed, removed, put up for a retest or
 * opened for modification, or a code text that no longer applies: the old text must not be sent before a person has decided. A first
 * result for a test that the report does not mention is no such change, so partial reports stay released. Rows written by this
 * transaction are recognised by their time, `now()`; the requisition is locked, so no release can have happened in between.
 */
export const holdOutdatedReports = async (
  write: WriteCall,
  requisitionIds: readonly number[],
  { opened = [], recoded = [] }: ChangedTests = {},
) => {
  const { rows } = await sql<{ reqID: number; reportID: number; codes: string }>`
    select p.requisition_id as "reqID", p.id as "reportID", string_agg(distinct c.code, ', ' order by c.code) as codes
    from report p join report_version v on v.report_id = p.id and v.version_no = p.current_version_no join requisition_test t on t.requisition_id = p.requisition_id and (t.deleted_at is null or t.deleted_at = now()) join test c on c.id = t.test_id
    where p.requisition_id = any(${[...requisitionIds]}::bigint[]) and p.deleted_at is null and p.lab_qc_status_code is distinct from 'HOLD'
      and (t.id = any(${[...opened]}::bigint[]) or (t.retest_of_id is not null and t.created_at = now()) or (t.deleted_at is not null and t.reportable_result is not null)
        or exists (select from requisition_test_revision x where x.requisition_test_id = t.id and x.replaced_at = now())
        or (t.id = any(${[...recoded]}::bigint[]) and v.content is null)
        or ((t.id = any(${[...recoded]}::bigint[]) or t.resulted_at = now() or t.deleted_at is not null) and v.content -> 'results' @> jsonb_build_array(jsonb_build_object('code', c.code))))
    group by 1, 2`.execute(write.db)
  const what = opened.length > 0 ? 'results are being modified' : 'results have changed since'
  for (const { codes, ...path } of rows) await holdReport(write, path, `${what}: ${codes}`)
}

/** Holds reports that print what has changed, until a person decides. */
export const holdChangedRecords = (
  write: WriteCall,
  { requisitionIds, changed, isUndeliveredOnly = false }: DomainEvents['recordChanged'],
) => {
  const hold = isUndeliveredOnly ? holdUndelivered : holdReports
  return hold(write, requisitionIds, `the record has changed since: ${changed.join(', ')}`)
}

/**
 * A requisition moved back, by 'Move back' or the status select: its reports are neither sent nor released until lab QC releases them
 * again. A step back among the statuses from Released on does not affect the reports.
 */
export const holdMovedBack = async (
  write: WriteCall,
  { requisitionIds, from, to }: DomainEvents['statusMovedBack'],
) => {
  const [before, now] = [statusOf(from as StatusCode), statusOf(to as StatusCode)]
  if (now.sortOrder >= Math.min(before.sortOrder, statusOf('RELEASE').sortOrder)) return
  await holdReports(write, requisitionIds, `the requisition was returned to ${now.description}`)
}

/** Holds all reports of these requisitions. */
const holdReports = (write: WriteCall, requisitionIds: readonly number[], why: string) =>
  holdMatching(write, sql`p.requisition_id = any(${[...requisitionIds]}::bigint[])`, why)

/** Holds those not delivered to all their recipients yet. */
const holdUndelivered = (write: WriteCall, requisitionIds: readonly number[], why: string) =>
  holdMatching(
    write,
    sql`p.requisition_id = any(${[...requisitionIds]}::bigint[]) and (exists (select from report_delivery d where d.report_id = p.id and (d.state = 'PENDING' or (${isUnresolvedFailure} and ${isToCurrentRecipient})))
      or exists (select from requisition r join requisition_status_type s on s.code = r.status_code
        where r.id = p.requisition_id and s.sort_order < (select sort_order from requisition_status_type where code = 'DELIVER')))`,
    why,
  )

/** Holds the matching reports `p` that are not held already. */
const holdMatching = async (write: WriteCall, which: Sql, why: string) => {
  const { rows } = await sql<{ reqID: number; reportID: number }>`
    select p.requisition_id as "reqID", p.id as "reportID" from report p
    where ${which} and p.deleted_at is null and p.lab_qc_status_code is distinct from 'HOLD'
    order by p.requisition_id, p.id`.execute(write.db)
  for (const path of rows) await holdReport(write, path, why)
}

/** Holds one report in whatever state it is. */
export const holdReport = async (write: WriteCall, path: { reqID: number; reportID: number }, why: string) => {
  await setLabQc(write, path, 'HOLD', { why })
  await withdrawDeliveries(write, path.reportID, why)
}
