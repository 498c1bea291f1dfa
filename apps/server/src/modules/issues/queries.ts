import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { type Issue, type IssueWorkLog, issueStatuses } from '@lis/contract/issues.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { notFound } from '../../platform/errors.ts'
import type { Sql } from '../../platform/lists.ts'

const userName = (column: string) =>
  sql`(select u.first_name || ' ' || u.last_name from app_user u where u.id = ${sql.ref(column)})`

/**
 * Which issues `i` a role reads. What deliveries raise by themselves names receivers, those of before by mistake too, and says what a
 * gateway answered: like the failed deliveries in the history of a report it is for those who deliver.
 */
export const isIssueVisibleTo = (role: Role): Sql =>
  can(role, 'reports.deliver')
    ? sql`true`
    : sql`(i.created_by is not null or not exists (select from issue_type kind where kind.id = i.issue_type_id and kind.code in ('DELIVFAIL', 'INTERFACE', 'REPNOTREC', 'FILECHANGED')))`

/** How many open issues of the list row `l` the reader finds on its tab, and the departments that reported them. */
export const openIssues = ({ role }: Pick<Actor, 'role'>): { count: Sql; departmentIds: Sql } => {
  if (can(role, 'reports.deliver'))
    return { count: sql`l.open_issue_count`, departmentIds: sql`l.issue_department_ids` }
  const readable = sql`from issue i where i.requisition_id = l.requisition_id and i.deleted_at is null and i.status_code not in ('RESOLVED', 'CLOSED') and ${isIssueVisibleTo(role)}`
  return {
    count: sql`(case when l.open_issue_count = 0 then 0 else (select count(*)::int ${readable}) end)`,
    departmentIds: sql`array(select distinct i.reporter_department_id ${readable})`,
  }
}

/** The issues of a requisition that the reader may know of, open ones first, then the latest. */
export const listIssues = async (db: Db, actor: Actor, requisitionId: number, issueId?: number): Promise<Issue[]> => {
  const { rows } = await sql<{ row: Omit<Issue, 'issueStatusDesc'> }>`select row_to_json(x) as row from (
    select i.id, t.code as "issueCode", t.code as "deptIssueCode", i.reporter_department_id as "reporterDeptId", rep.code as "reporterDeptCode", rep.name as "reporterDeptName",
      i.resolver_department_id as "resolverDeptId", res.name as "resolverDeptName", i.description as "issueDesc", i.note as "issueNote",
      i.status_code as "issueStatusCode", i.status_at as "issueStatusDate", ${userName('i.created_by')} as "issueUserName", i.created_at as "issueCreateDate",
      ${userName('i.closed_by')} as "issueCloseUserName", i.closed_at as "issueCloseDate",
      (select count(*)::int from issue_work_log w where w.issue_id = i.id) as "workLogCount",
      case when i.status_code <> 'CLOSED' and i.reporter_department_id = any(${actor.departmentIds}::int[]) then 1 else 0 end as "isClosable", i.version
    from issue i join department rep on rep.id = i.reporter_department_id join department res on res.id = i.resolver_department_id
      left join issue_type t on t.id = i.issue_type_id
    where i.requisition_id = ${requisitionId} and i.deleted_at is null and ${isIssueVisibleTo(actor.role)} and ${issueId === undefined ? sql`true` : sql`i.id = ${issueId}`}
    order by i.status_code = 'CLOSED', i.id desc) x`.execute(db)
  return rows.map(({ row }) => ({ ...row, issueStatusDesc: issueStatuses[row.issueStatusCode] }))
}

export const getIssue = async (db: Db, actor: Actor, requisitionId: number, issueId: number): Promise<Issue> => {
  const [found] = await listIssues(db, actor, requisitionId, issueId)
  if (!found) throw notFound('Issue')
  return found
}

export const listWorkLogs = async (db: Db, issueId: number): Promise<IssueWorkLog[]> => {
  const { rows } = await sql<{ row: IssueWorkLog }>`select row_to_json(x) as row from (
    select w.id, w.work_log as "issueWorkLog", ${userName('w.created_by')} as "createdByUserName", w.created_at as "workLogDate"
    from issue_work_log w where w.issue_id = ${issueId} order by w.id) x`.execute(db)
  return rows.map(({ row }) => row)
}

export const findIssueType = (trx: Trx, code: string) =>
  trx.selectFrom('issue_type').select('id').where('code', '=', code).executeTakeFirst()

export const isDepartment = async (trx: Trx, id: number): Promise<boolean> =>
  (await trx.selectFrom('department').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
