import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { type Issue, type IssueStatus, type IssueWorkLog, issueStatuses } from '@lis/contract/issues.ts'
import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import type { DB } from '../../platform/db/types.ts'
import { notFound } from '../../platform/errors.ts'
import type { Sql } from '../../platform/lists.ts'

/** First and last name of a user by id. */
const userName = (id: Expression<number | null>) =>
  expressionBuilder<DB>()
    .selectFrom('app_user as u')
    .select(sql<string | null>`u.first_name || ' ' || u.last_name`.as('name'))
    .where('u.id', '=', id)
    .$asScalar()

/**
 * Which issues `i` a role may see. Issues that deliveries raise name recipients, also former wrong ones, and quote the gateway: like
 * failed deliveries in the history of a report they are only for those who deliver.
 */
export const isIssueVisibleTo = (role: Role): RawBuilder<boolean> =>
  can(role, 'reports.deliver')
    ? sql`true`
    : sql`(i.created_by is not null or not exists (select from issue_type kind where kind.id = i.issue_type_id and kind.code in ('DELIVFAIL', 'INTERFACE', 'REPNOTREC', 'FILECHANGED', 'SIGNLOCKED', 'REFLEX')))`

/** How many open issues of `requisition_list l` the actor may see, and the departments that reported them. */
export const openIssues = ({ role }: Pick<Actor, 'role'>): { count: Sql; departmentIds: Sql } => {
  if (can(role, 'reports.deliver'))
    return { count: sql`l.open_issue_count`, departmentIds: sql`l.issue_department_ids` }
  const readable = sql`from issue i where i.requisition_id = l.requisition_id and i.deleted_at is null and i.status_code not in ('RESOLVED', 'CLOSED') and ${isIssueVisibleTo(role)}`
  return {
    count: sql`(case when l.open_issue_count = 0 then 0 else (select count(*)::int ${readable}) end)`,
    departmentIds: sql`array(select distinct i.reporter_department_id ${readable})`,
  }
}

/** The issues of a requisition that the actor may see, open ones first, then the latest. */
export const listIssues = async (db: Db, actor: Actor, requisitionId: number, issueId?: number): Promise<Issue[]> => {
  const issues = db
    .selectFrom('issue as i')
    .innerJoin('department as rep', 'rep.id', 'i.reporter_department_id')
    .innerJoin('department as res', 'res.id', 'i.resolver_department_id')
    .leftJoin('issue_type as t', 't.id', 'i.issue_type_id')
    .select(['i.id', 't.code as issueCode', 't.code as deptIssueCode', 'i.reporter_department_id as reporterDeptId'])
    .select(['rep.code as reporterDeptCode', 'rep.name as reporterDeptName'])
    .select(['i.resolver_department_id as resolverDeptId', 'res.name as resolverDeptName'])
    .select(['i.description as issueDesc', 'i.note as issueNote', 'i.status_at as issueStatusDate'])
    .select(['i.created_at as issueCreateDate', 'i.closed_at as issueCloseDate', 'i.version'])
    .select((eb) => [
      eb.ref('i.status_code').$castTo<IssueStatus>().as('issueStatusCode'),
      userName(eb.ref('i.created_by')).as('issueUserName'),
      userName(eb.ref('i.closed_by')).as('issueCloseUserName'),
      eb
        .selectFrom('issue_work_log as w')
        .select(sql<number>`count(*)::int`.as('n'))
        .whereRef('w.issue_id', '=', 'i.id')
        .$asScalar()
        .as('workLogCount'),
      flag01(
        eb.and([
          eb('i.status_code', '<>', 'CLOSED'),
          eb('i.reporter_department_id', '=', sql<number>`any(${actor.departmentIds}::int[])`),
        ]),
      ).as('isClosable'),
    ])
    .where('i.requisition_id', '=', requisitionId)
    .where('i.deleted_at', 'is', null)
    .where(isIssueVisibleTo(actor.role))
    .$if(issueId !== undefined, (query) => query.where('i.id', '=', issueId as number))
    .orderBy((eb) => eb('i.status_code', '=', 'CLOSED'))
    .orderBy('i.id', 'desc')
  const rows = await db
    .selectFrom(issues.as('x'))
    .select((eb) => eb.fn.toJson('x').as('row'))
    .execute()
  return rows.map(({ row }) => ({ ...row, issueStatusDesc: issueStatuses[row.issueStatusCode] }))
}

export const getIssue = async (db: Db, actor: Actor, requisitionId: number, issueId: number): Promise<Issue> => {
  const [found] = await listIssues(db, actor, requisitionId, issueId)
  if (!found) throw notFound('Issue')
  return found
}

export const listWorkLogs = async (db: Db, issueId: number): Promise<IssueWorkLog[]> => {
  const logs = db
    .selectFrom('issue_work_log as w')
    .select((eb) => [
      'w.id',
      'w.work_log as issueWorkLog',
      userName(eb.ref('w.created_by')).as('createdByUserName'),
      'w.created_at as workLogDate',
    ])
    .where('w.issue_id', '=', issueId)
    .orderBy('w.id')
  const rows = await db
    .selectFrom(logs.as('x'))
    .select((eb) => eb.fn.toJson('x').as('row'))
    .execute()
  return rows.map(({ row }) => row)
}

export const findIssueType = (trx: Trx, code: string) =>
  trx.selectFrom('issue_type').select('id').where('code', '=', code).executeTakeFirst()

export const isDepartment = async (trx: Trx, id: number): Promise<boolean> =>
  (await trx.selectFrom('department').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
