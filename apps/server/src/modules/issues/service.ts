import { unknownTimeZone } from '@lis/contract/clients.ts'
import { type Issue, type IssueInput, type IssueStatus, issueLabels, issueStatuses } from '@lis/contract/issues.ts'
import { messages } from '@lis/contract/messages.ts'
import { requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { type AuditActor, recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { announce } from '../../platform/domain-events.ts'
import { conflict, forbidden, invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { findIssueType, getIssue, isDepartment } from './queries.ts'

export const createIssue = async (call: WriteCall, requisitionId: number, input: IssueInput) => {
  const { db, actor, requestId } = call
  await lockRequisition(db, actor, requisitionId)
  for (const field of ['reporterDeptId', 'resolverDeptId'] as const)
    if (!(await isDepartment(db, input[field]))) throw invalid(field, messages.invalid(issueLabels[field]))
  const issueCode = input.issueCode ?? input.deptIssueCode
  return openIssue(db, actor, requestId, requisitionId, { ...input, issueCode })
}

/** An issue, by a person or by a part of the system such as a failed delivery; everyone concerned is told. */
export const openIssue = async (
  trx: Trx,
  actor: AuditActor,
  requestId: string | null,
  requisitionId: number,
  { issueCode, reporterDeptId, resolverDeptId, issueDesc, issueNote }: Omit<IssueInput, 'deptIssueCode'>,
): Promise<{ id: number }> => {
  const type = issueCode === null ? undefined : await findIssueType(trx, issueCode)
  if (issueCode !== null && !type) throw invalid('issueCode', messages.invalid(issueLabels.issueCode))
  const { id } = await trx
    .insertInto('issue')
    .values({
      requisition_id: requisitionId,
      issue_type_id: type?.id ?? null,
      reporter_department_id: reporterDeptId,
      resolver_department_id: resolverDeptId,
      description: issueDesc,
      note: issueNote,
      created_by: actor.userId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(trx, actor, requestId, {
    entity: 'issue',
    entityId: id,
    requisitionId,
    action: 'ISSUE',
    new: { issueDesc, issueNote, issueStatus: issueStatuses.OPEN },
  })
  await announce({ db: trx }, 'issueChanged', { requisitionId })
  return { id }
}

export const setIssueStatus = async (
  call: WriteCall,
  requisitionId: number,
  issueId: number,
  status: IssueStatus,
  expected: number | null,
): Promise<Issue> => {
  const { db, actor, requestId } = call
  const before = await lockOpenIssue(call, requisitionId, issueId)
  await requireVersion(db, 'issue', expected, before)
  if (status === 'CLOSED' && before.isClosable === 0)
    throw forbidden(`Only the department that reported it (${before.reporterDeptName}) can close this issue`)
  if (before.issueStatusCode === status) return before
  await db
    .updateTable('issue')
    .set({
      status_code: status,
      status_at: sql<string>`now()`,
      version: sql`version + 1`,
      ...(status === 'CLOSED' && { closed_at: sql<string>`now()`, closed_by: actor.userId }),
    })
    .where('id', '=', issueId)
    .execute()
  await recordAudit(db, actor, requestId, {
    entity: 'issue',
    entityId: issueId,
    requisitionId,
    action: 'ISSUE',
    old: { issueDesc: before.issueDesc, issueStatus: before.issueStatusDesc },
    new: { issueDesc: before.issueDesc, issueStatus: issueStatuses[status] },
  })
  await announce({ db }, 'issueChanged', { requisitionId })
  return getIssue(db, actor, requisitionId, issueId)
}

export const addWorkLog = async (call: WriteCall, requisitionId: number, issueId: number, workLog: string) => {
  const { db, actor, requestId } = call
  const { issueDesc } = await lockOpenIssue(call, requisitionId, issueId)
  return writeWorkLog(db, actor, requestId, { requisitionId, issueId, issueDesc, workLog })
}

const writeWorkLog = async (
  trx: Trx,
  actor: AuditActor,
  requestId: string | null,
  {
    requisitionId,
    issueId,
    issueDesc,
    workLog,
  }: { requisitionId: number; issueId: number; issueDesc: string; workLog: string },
) => {
  const { id } = await trx
    .insertInto('issue_work_log')
    .values({ issue_id: issueId, work_log: workLog, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(trx, actor, requestId, {
    entity: 'issue_work_log',
    entityId: id,
    requisitionId,
    action: 'ISSUE',
    new: { issueDesc, issueWorkLog: workLog },
  })
  await announce({ db: trx }, 'issueChanged', { requisitionId })
  return { id }
}

/** Closed is closed: neither its status nor its work log changes any more. */
const lockOpenIssue = async ({ db, actor }: WriteCall, requisitionId: number, issueId: number): Promise<Issue> => {
  await lockRequisition(db, actor, requisitionId)
  const found = await getIssue(db, actor, requisitionId, issueId)
  if (found.issueStatusCode === 'CLOSED') throw conflict('This issue is closed and can no longer be changed')
  return found
}

// ── raised by the system ────────────────────────────────────────────────────────────────────────────────────────────

/** The types of issue that the system raises and ends by itself; REPNOTREC and FILECHANGED are left to a person to end. */
type SystemIssue =
  | 'DEMOMISS'
  | 'NOTEST'
  | 'DELIVFAIL'
  | 'MISSBILL'
  | 'INTERFACE'
  | 'CLIENTTZ'
  | 'REPNOTREC'
  | 'FILECHANGED'

interface Raised {
  /** The part of the system that noticed; it stands in the history. */
  by: string
  /** The description of the type where nothing more exact is known. */
  issueDesc?: string
  issueNote?: string
  /** It is not about what an open one of its type is about, and must not end with that. */
  isSeparate?: boolean
}

interface IssueType {
  description: string
  reporter: number
  resolver: number
  open: { id: number; description: string } | null
}

/**
 * Raises an issue with the departments of its type. One of a type is enough, unless it is separate: while it is open no second one comes,
 * and what more there is to say goes into its work log.
 */
export const raiseIssue = async (
  trx: Trx,
  requisitionId: number,
  code: SystemIssue,
  { by, issueDesc, issueNote, isSeparate = false }: Raised,
): Promise<{ id: number } | undefined> => {
  const { rows } = await sql<IssueType>`
    select t.description, t.reporter_department_id as reporter, t.resolver_department_id as resolver,
      (select json_build_object('id', i.id, 'description', i.description) from issue i
        where i.issue_type_id = t.id and i.requisition_id = ${requisitionId}::bigint and i.status_code in ('OPEN', 'INPROG') and i.deleted_at is null
        order by i.id limit 1) as open
    from issue_type t where t.code = ${code}`.execute(trx)
  const [type] = rows
  if (!type) return undefined
  const actor = { userId: null, name: by }
  if (!type.open || isSeparate) {
    return openIssue(trx, actor, null, requisitionId, {
      issueCode: code,
      reporterDeptId: type.reporter,
      resolverDeptId: type.resolver,
      issueDesc: issueDesc ?? type.description,
      issueNote: issueNote ?? null,
    })
  }
  if (!issueNote) return type.open
  const workLog = [issueDesc, issueNote].filter(Boolean).join('. ')
  await writeWorkLog(trx, actor, null, {
    requisitionId,
    issueId: type.open.id,
    issueDesc: type.open.description,
    workLog,
  })
  return type.open
}

/** What the system has raised is resolved when its cause is gone; the department that reported it may close it. */
export const resolveIssues = async (trx: Trx, requisitionIds: readonly number[], code: SystemIssue, by: string) => {
  const { rows } = await sql<{ id: number; requisition_id: number; description: string; was: 'OPEN' | 'INPROG' }>`
    update issue i set status_code = 'RESOLVED', status_at = now(), version = i.version + 1 from issue_type t, issue before
    where before.id = i.id and t.id = i.issue_type_id and t.code = ${code} and i.status_code in ('OPEN', 'INPROG') and i.deleted_at is null
      and i.requisition_id = any(${[...requisitionIds]}::bigint[])
    returning i.id, i.requisition_id, i.description, before.status_code as was`.execute(trx)
  if (rows.length === 0) return
  await recordAudit(
    trx,
    { userId: null, name: by },
    null,
    rows.map((row) => ({
      entity: 'issue',
      entityId: row.id,
      requisitionId: row.requisition_id,
      action: 'ISSUE',
      old: { issueDesc: row.description, issueStatus: issueStatuses[row.was] },
      new: { issueDesc: row.description, issueStatus: issueStatuses.RESOLVED },
    })),
  )
  for (const requisitionId of new Set(rows.map((row) => row.requisition_id)))
    await announce({ db: trx }, 'issueChanged', { requisitionId })
}

const editable = requisitionStatuses.filter((status) => status.editable).map(({ code }) => code)

/**
 * Without the zone of its client the collection time of a requisition can neither be entered nor mended: an issue on each one in work
 * says so, until the zone is known. To be called when a client has lost or found its zone, or a requisition has got its client.
 */
export const updateClientZoneIssues = async (trx: Trx, clientId: number, requisitionId?: number) => {
  const { rows } = await sql<{ id: number; is_missing: boolean }>`
    select r.id, c.zone = ${unknownTimeZone} as is_missing from client c join requisition r on r.client_id = c.id and r.deleted_at is null
    where c.id = ${clientId} and ${requisitionId === undefined ? sql`true` : sql`r.id = ${requisitionId}`}
      and case when c.zone = ${unknownTimeZone} then r.status_code = any(${editable}::text[])
        else exists (select from issue i join issue_type t on t.id = i.issue_type_id
          where i.requisition_id = r.id and t.code = 'CLIENTTZ' and i.status_code in ('OPEN', 'INPROG')) end`.execute(
    trx,
  )
  const by = 'Client time zones'
  const known: number[] = []
  for (const { id, is_missing: isMissing } of rows)
    if (isMissing) await raiseIssue(trx, id, 'CLIENTTZ', { by })
    else known.push(id)
  if (known.length > 0) await resolveIssues(trx, known, 'CLIENTTZ', by)
}
