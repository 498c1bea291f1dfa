import { permissions } from '@lis/contract/access/permissions.ts'
import { type Notification, notificationTopic } from '@lis/contract/notifications.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { eventChannel } from '../../platform/events/publish.ts'
import type { Sql } from '../../platform/lists.ts'
import { isIssueVisibleTo } from '../issues/queries.ts'

const maxUnread = 200
const maxRead = 20
// Read at every navigation, so only the latest changes are counted and not a backlog of years.
const latestChanges = 500

/**
 * Whether an issue `i` of a requisition `r` concerns the actor: not closed, in scope, visible to the role, and reported or to be resolved
 * by one of the actor's departments. Without a department, all of them do.
 */
const concerns = ({ role, entityId, departmentIds }: Actor): Sql => sql`
  i.status_code <> 'CLOSED' and i.deleted_at is null and ${isIssueVisibleTo(role)}
    and ${role === 'COLA' ? sql`r.collaborator_id = ${entityId}` : sql`true`}
    and ${
      departmentIds.length > 0
        ? sql`(i.reporter_department_id = any(${departmentIds}::int[]) or i.resolver_department_id = any(${departmentIds}::int[]))`
        : sql`true`
    }`

const shownIssues = 3
const maxReasonLength = 200

const issueWithList = sql`issue i join requisition_list r on r.requisition_id = i.requisition_id`

/** The latest change of each issue: created, given a new status, or with a new work log. */
const changes = (actor: Actor, requisitions: Sql): Sql => sql`
  select i.requisition_id, greatest(i.created_at, i.status_at, w.logged_at) as changed_at from ${issueWithList}
  left join lateral (select max(created_at) as logged_at from issue_work_log where issue_id = i.id) w on true
  where ${concerns(actor)} and i.requisition_id in (${requisitions})`

/** The requisitions of the latest changes that concern the actor. */
const latest = (actor: Actor): Sql => sql`
  (select i.requisition_id from ${issueWithList} where ${concerns(actor)} order by i.status_at desc limit ${latestChanges})
  union (select i.requisition_id from (select issue_id from issue_work_log order by id desc limit ${latestChanges}) w
    join issue i on i.id = w.issue_id join requisition_list r on r.requisition_id = i.requisition_id where ${concerns(actor)})`

/** The issues that are shown for a listed requisition `l`. */
const issuesShown = (actor: Actor): Sql => sql`
  select json_agg(json_build_object('id', x.id, 'issueDesc', x.description, 'issueStatusCode', x.status_code, 'reason', left(x.reason, ${maxReasonLength}))
    order by x.changed_at desc, x.id desc)
  from (select i.id, i.description, i.status_code, coalesce(w.work_log, i.note) as reason, greatest(i.created_at, i.status_at, w.created_at) as changed_at
    from ${issueWithList} left join lateral (select work_log, created_at from issue_work_log where issue_id = i.id order by id desc limit 1) w on true
    where ${concerns(actor)} and i.requisition_id = l.id
      and (l."isRead" or l.read_at is null or greatest(i.created_at, i.status_at, w.created_at) > l.read_at)
    order by changed_at desc, i.id desc limit ${shownIssues}) x`

export const listNotifications = async (db: Db, actor: Actor): Promise<Notification[]> => {
  const { rows } = await sql<Notification>`
    with latest as (${latest(actor)}), counted as (
      select c.requisition_id as id, count(*) as "issueCount", count(*) filter (where c.changed_at <= n.read_at) as "readCount",
        max(c.changed_at) as "issueDate", max(n.read_at) as read_at,
        count(*) = count(*) filter (where c.changed_at <= n.read_at) as "isRead"
      from (${changes(actor, sql`select requisition_id from latest`)}) c
      left join notification_read n on n.requisition_id = c.requisition_id and n.user_id = ${actor.userId}
      group by c.requisition_id
    ), listed as (
      (select * from counted where not "isRead" order by "issueDate" desc, id desc limit ${maxUnread})
      union all
      (select * from counted where "isRead" order by "issueDate" desc, id desc limit ${maxRead})
    )
    select l.id, l.id as "reqId", l."issueCount", l."readCount", l."issueDate", p.last_name || ', ' || p.first_name as "patientName",
      coalesce((${issuesShown(actor)}), '[]') as issues
    from listed l join requisition q on q.id = l.id join patient p on p.id = q.patient_id
    order by l."isRead", l."issueDate" desc, l.id desc`.execute(db)
  return rows
}

export const isRequisitionVisible = async (db: Db, { role, entityId }: Actor, id: number): Promise<boolean> => {
  const found = await db
    .selectFrom('requisition_list')
    .select('requisition_id')
    .where('requisition_id', '=', id)
    .$if(role === 'COLA', (query) => query.where('collaborator_id', '=', entityId))
    .executeTakeFirst()
  return found !== undefined
}

/** Marks as read up to the latest visible change and not up to now, so that one still being written stays unread. */
export const markRead = async (trx: Trx, actor: Actor, requisitionId: number) => {
  await sql`
    insert into notification_read as n (user_id, requisition_id, read_count, read_at)
    select ${actor.userId}, ${requisitionId}, count(*), coalesce(max(changed_at), now())
    from (${changes(actor, sql`${requisitionId}::bigint`)}) c
    on conflict (user_id, requisition_id) do update
      set read_count = excluded.read_count, read_at = greatest(n.read_at, excluded.read_at)`.execute(trx)
}

/** The same for every requisition in the list. */
export const markAllRead = async (trx: Trx, actor: Actor) => {
  await sql`
    insert into notification_read as n (user_id, requisition_id, read_count, read_at)
    select ${actor.userId}, c.requisition_id, count(*), max(c.changed_at) from (${changes(actor, latest(actor))}) c
    group by c.requisition_id order by c.requisition_id
    on conflict (user_id, requisition_id) do update
      set read_count = excluded.read_count, read_at = greatest(n.read_at, excluded.read_at)`.execute(trx)
}

/** Sends the event to all users whom an issue of the requisition concerns, in one statement. */
export const notifyConcernedUsers = async (trx: Trx, requisitionId: number) => {
  await sql`
    select pg_notify(${eventChannel}, json_build_object('topic', ${notificationTopic}::text, 'userId', u.id,
      'data', json_build_object('requisitionId', ${requisitionId}::bigint))::text)
    from app_user u where u.status_code = 'ACT' and u.deleted_at is null and not u.is_api_client
      and u.role_code = any(${[...permissions['notifications.read']]}::text[])
      and (u.role_code <> 'COLA' or u.collaborator_id = (select collaborator_id from requisition where id = ${requisitionId}))
      and (not exists (select from app_user_department d where d.user_id = u.id)
        or exists (select from issue i join app_user_department d on d.department_id in (i.reporter_department_id, i.resolver_department_id)
          where i.requisition_id = ${requisitionId} and d.user_id = u.id))`.execute(trx)
}
