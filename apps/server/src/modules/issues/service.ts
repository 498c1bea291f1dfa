import { unknownTimeZone } from '@lis/contract/clients.ts'
import { type Issue, type IssueInput, type IssueStatus, issueLabels, issueStatuses } from '@lis/contract/issues.ts'
import { messages } from '@lis/contract/messages.ts'
import { requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { type AuditActor, recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { anyText, bigint } from '../../platform/db/expressions.ts'
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

/** Opens an issue for a person or for the system, such as for a failed delivery; the users concerned are notified. */
const openIssue = async (
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

/** The types of issue that the system raises and resolves; REPNOTREC, FILECHANGED, SIGNLOCKED and REFLEX are resolved by a person. */
type SystemIssue =
  | 'DEMOMISS'
  | 'NOTEST'
  | 'DELIVFAIL'
  | 'MISSBILL'
  | 'INTERFACE'
  | 'CLIENTTZ'
  | 'REPNOTREC'
  | 'FILECHANGED'
  | 'SIGNLOCKED'
  | 'REFLEX'

interface Raised {
  /** The part of the system that raises it, as the history names it. */
  by: string
  /** Without it, the description of the type. */
  issueDesc?: string
  issueNote?: string
  /** Its cause differs from that of an open issue of the same type, so it must not be resolved together with it. */
  isSeparate?: boolean
}

/**
 * Raises an issue with the departments of its type. While an issue of the type is open, a further note goes into its work log instead,
 * unless the new one is separate.
 */
export const raiseIssue = async (
  trx: Trx,
  requisitionId: number,
  code: SystemIssue,
  { by, issueDesc, issueNote, isSeparate = false }: Raised,
): Promise<{ id: number } | undefined> => {
  const type = await trx
    .selectFrom('issue_type as t')
    .select((eb) => [
      't.description',
      eb.ref('t.reporter_department_id').$notNull().as('reporter'),
      eb.ref('t.resolver_department_id').$notNull().as('resolver'),
      jsonObjectFrom(
        eb
          .selectFrom('issue as i')
          .select(['i.id', 'i.description'])
          .whereRef('i.issue_type_id', '=', 't.id')
          .where('i.requisition_id', '=', bigint(requisitionId))
          .where('i.status_code', 'in', [sql.lit('OPEN'), sql.lit('INPROG')])
          .where('i.deleted_at', 'is', null)
          .orderBy('i.id')
          .limit(sql.lit(1)),
      ).as('open'),
    ])
    .where('t.code', '=', code)
    .executeTakeFirst()
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

/** Resolves issues of the system when their cause is gone; closing them is left to the department that reported them. */
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
 * Without its client's time zone the collection time of a requisition can be neither entered nor corrected: each editable requisition
 * gets an issue until the zone is known. Called when a client's zone is removed or set, and when a requisition gets its client.
 */
export const updateClientZoneIssues = async (trx: Trx, clientId: number, requisitionId?: number) => {
  const rows = await trx
    .selectFrom('client as c')
    .innerJoin('requisition as r', (join) => join.onRef('r.client_id', '=', 'c.id').on('r.deleted_at', 'is', null))
    .select((eb) => ['r.id', eb('c.zone', '=', unknownTimeZone).as('isMissing')])
    .where('c.id', '=', clientId)
    .$if(requisitionId !== undefined, (query) => query.where('r.id', '=', requisitionId as number))
    .where((eb) =>
      eb
        .case()
        .when('c.zone', '=', unknownTimeZone)
        .then(eb('r.status_code', '=', anyText(editable)))
        .else(
          eb.exists(
            eb
              .selectFrom('issue as i')
              .innerJoin('issue_type as t', 't.id', 'i.issue_type_id')
              .select('i.id')
              .whereRef('i.requisition_id', '=', 'r.id')
              .where('t.code', '=', sql.lit('CLIENTTZ'))
              .where('i.status_code', 'in', [sql.lit('OPEN'), sql.lit('INPROG')]),
          ),
        )
        .end(),
    )
    .execute()
  const by = 'Client time zones'
  const known: number[] = []
  for (const { id, isMissing } of rows)
    if (isMissing) await raiseIssue(trx, id, 'CLIENTTZ', { by })
    else known.push(id)
  if (known.length > 0) await resolveIssues(trx, known, 'CLIENTTZ', by)
}
