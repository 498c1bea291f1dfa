import { roleTable, superAdmins } from '@lis/contract/access/roles.ts'
import { sql } from 'kysely'
import type { Sql } from '../../../platform/lists.ts'
import { columnsOf, isNearPeriod, localTime, type ReportDefinition } from '../definition.ts'

/**
 * Automatic moves within a call: after the last result, after the last delivery, after a move to Processing if nothing is missing, after the
 * last fail code, and back when that is removed.
 */
const isByHand = sql`not ((a.old_data ->> 'reqStatusCode', a.new_data ->> 'reqStatusCode') in (('PROCESS', 'RESULT'), ('RESULT', 'PROCESS'), ('RELEASE', 'DELIVER')) and a.request_id is not null
  and exists (select from audit_entry o where o.requisition_id = a.requisition_id and o.request_id = a.request_id and (o.action in ('RESULT', 'TEST', 'FAIL', 'DELIVERY') or o.id <> a.id and o.action = 'STATUS' and o.new_data ->> 'reqStatusCode' = 'PROCESS')))`
const results = sql`(select count(*) from jsonb_object_keys(case when jsonb_typeof(a.new_data) = 'object' then a.new_data else '{}' end) k join test t on t.code = k and not t.is_calculated)`
const roleNames = sql.join(
  roleTable.map(({ userRoleCode, userRoleDesc }) => sql`(${userRoleCode}::text, ${userRoleDesc}::text)`),
)
/** Calls that open or download files; rows of earlier versions use one code for all of them. */
const downloads = [
  'VIEW',
  'DOWNLOAD',
  'reports/{id}/view',
  'requisitions/{id}/download',
  'requisitions/bulk_download',
  'requisitions/{id}/docs/{docId}/view',
  'requisitions/{id}/download_docs/{docId}',
  'billing/batch/bulk_download',
  'billing/batch/details/download/{id}',
]
const exports = [
  'EXPORT',
  'qa_reports/download',
  'summary_reports/download',
  'adhoc_reqs/download',
  'event_reqs/download',
]
const names = (all: readonly string[]) => sql.join(all.map((name) => sql.lit(name)))
const when = (condition: Sql): Sql => sql`(count(*) filter (where ${condition}))::int`

/** SUMUSER. In the time zone of the user's laboratory, or of the default one. Only super admins see others. */
export const userActivity: ReportDefinition = {
  code: 'SUMUSER',
  columns: columnsOf(
    ['userName', 'User Name'],
    ['userRoleDesc', 'Role'],
    ['userStatusDesc', 'Status'],
    ['loginCount', 'Sign-ins', 'integer'],
    ['failedLoginCount', 'Failed Sign-ins', 'integer'],
    ['lastLoginDate', 'Last Sign-in', 'datetime'],
    ['reqCreatedCount', 'Requisitions Created', 'integer'],
    ['resultSavedCount', 'Results Saved', 'integer'],
    ['statusMoveCount', 'Status Moves', 'integer'],
    ['reportReleasedCount', 'Reports Released', 'integer'],
    ['downloadCount', 'Downloads', 'integer'],
    ['exportCount', 'Exports', 'integer'],
  ),
  chart: {
    label: ['userName'],
    bars: ['statusMoveCount', 'resultSavedCount', 'reqCreatedCount'],
    isStacked: false,
    unit: 'Actions',
  },
  query: ({
    actor,
    from,
    to,
  }) => sql`with home as (select zone from lab where deleted_at is null order by is_default desc, id limit 1),
    people as (select u.*, l.lab_zone, (${from}::date)::timestamp at time zone l.lab_zone as starts, (${to}::date + 1)::timestamp at time zone l.lab_zone as ends
      from app_user u cross join lateral (select coalesce((select zone from lab where id = u.lab_id), (select zone from home), 'UTC') as lab_zone) l
      where ${superAdmins.some((role) => role === actor.role) ? sql`true` : sql`u.id = ${actor.userId}`}),
    shown as (select * from people where not is_api_client and created_at < ends and (deleted_at is null or deleted_at >= starts)),
    done as (select p.id, ${when(sql`a.entity = 'app_user' and a.action = 'SIGN_IN'`)} as logins, ${when(sql`a.entity = 'sign_in' and a.action in ('PASSWORD_FAILED', 'CODE_FAILED')`)} as failed,
        ${when(sql`a.entity = 'requisition' and a.action = 'CREATE'`)} as created, coalesce(sum(${results}) filter (where a.action = 'RESULT'), 0)::int as results,
        ${when(sql`a.action = 'STATUS' and ${isByHand}`)} as moves, ${when(sql`a.entity = 'report' and a.new_data ->> 'labQcStatusCode' = 'RELEASE'`)} as released
      from shown p join audit_entry a on a.actor_id = p.id and a.at >= p.starts and a.at < p.ends
      where ${isNearPeriod(sql`a.at`, { from, to })} group by 1),
    taken as (select p.id, ${when(sql`x.route in (${names(downloads)}) and not (x.route = 'requisitions/bulk_download' and x.requisition_ids = '{}')`)} as downloads, ${when(sql`(x.route in (${names(exports)}) or x.route like '%/export') and x.method <> 'JOB'`)} as exports
      from shown p join access_log x on x.user_id = p.id and x.at >= p.starts and x.at < p.ends group by 1)
    select 'row' as "rowKind", p.user_name::text as "userName", coalesce(r.description, p.role_code) as "userRoleDesc",
      case when p.deleted_at is not null then 'Deleted' when p.status_code = 'ACT' then 'Enabled' else 'Disabled' end as "userStatusDesc",
      coalesce(d.logins, 0) as "loginCount", coalesce(d.failed, 0) as "failedLoginCount", ${localTime(sql`p.last_logon_at`)} as "lastLoginDate", coalesce(d.created, 0) as "reqCreatedCount",
      coalesce(d.results, 0) as "resultSavedCount", coalesce(d.moves, 0) as "statusMoveCount", coalesce(d.released, 0) as "reportReleasedCount", coalesce(t.downloads, 0) as "downloadCount",
      coalesce(t.exports, 0) as "exportCount"
    from shown p left join done d on d.id = p.id left join taken t on t.id = p.id left join (values ${roleNames}) r(code, description) on r.code = p.role_code
    order by "userRoleDesc", p.user_name, p.id`,
}
