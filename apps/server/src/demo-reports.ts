import { findReportContent } from './modules/reports/content.ts'
import type { Pool } from './platform/db/pool.ts'
import { scopedDatabases, systemScope } from './platform/db/scope.ts'

const days = 45
/** Results that practices have not reviewed yet. */
const newDays = 30

/**
 * The values of recently released reports, as stored when lab QC releases an uploaded file: Home of a practice shows them. Older
 * ones are reviewed.
 */
export const loadDemoReportValues = async (owner: Pool) => {
  const db = scopedDatabases(owner)(systemScope)
  const { rows } = await owner.query<{ reqId: number; eventIds: number[] }>(
    `select p.requisition_id as "reqId", array_agg(e.id) as "eventIds"
     from report p join report_event e on e.report_id = p.id and e.version_no = p.current_version_no and e.action_code = 'RELEASE' and e.content is null
     where p.lab_qc_status_code = 'RELEASE' and p.deleted_at is null and p.release_at > now() - make_interval(days => $1)
       and not exists (select from report_version v where v.report_id = p.id and v.content is not null)
     group by 1 order by 1`,
    [days],
  )
  for (const { reqId, eventIds } of rows) {
    const content = await findReportContent(db, reqId)
    await owner.query('update report_event set content = $2 where id = any($1)', [eventIds, JSON.stringify(content)])
  }
  await owner.query(
    `insert into home_review (user_id, requisition_id, reviewed_at)
     select u.id, l.requisition_id, now() - make_interval(days => $1 - 1) from app_user u join requisition_list l
       on l.client_id = u.client_id or l.physician_id = u.physician_id or l.copy_physician_id = u.physician_id or l.collaborator_id = u.collaborator_id
     where u.role_code in ('CLNT', 'PHYS', 'COLA') and l.released_at < now() - make_interval(days => $1) on conflict do nothing`,
    [newDays],
  )
}
