import type { RecentRequisition } from '@lis/contract/home.ts'
import { displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { actionNames } from '../requisition-detail/history.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

const mostRecent = 10
/** How many audit entries of the person are read: enough for ten requisitions, even with many entries each. */
const lastEntries = 200

interface RecentRow {
  reqId: number
  patientFirstName: string
  patientLastName: string
  patientDob: string
  status: StatusCode
  action: string
  at: string
}

/** The requisitions that this person has changed or opened last, each with the latest action; only those still in scope. */
export const listRecent = async (db: Db, actor: Actor): Promise<RecentRequisition[]> => {
  const { rows } = await sql<RecentRow>`
    with mine as (
        (select a.requisition_id, a.action, a.at from audit_entry a where a.actor_id = ${actor.userId} and a.requisition_id is not null
          order by a.id desc limit ${lastEntries})
        union all
        select x.requisition_ids[1], 'OPEN', x.at from (select * from access_log where user_id = ${actor.userId} order by at desc limit ${lastEntries}) x
          where cardinality(x.requisition_ids) = 1 and x.method = 'GET' and x.route like 'requisitions/{id}%'),
      latest as (select distinct on (requisition_id) requisition_id, action, at from mine order by requisition_id, action = 'OPEN', at desc)
    select l.requisition_id as "reqId", p.first_name as "patientFirstName", p.last_name as "patientLastName", p.dob::text as "patientDob",
      l.status_code as status, latest.action, latest.at
    from latest join requisition_list l on l.requisition_id = latest.requisition_id join requisition_patient p on p.requisition_id = l.requisition_id
    where ${visibleRequisitions(actor)} order by latest.at desc limit ${mostRecent}`.execute(db)
  return rows.map(({ status, action, at, ...row }) => ({
    ...row,
    reqStatusCode: status,
    reqStatusDesc: displayStatus(status),
    event: action === 'OPEN' ? 'Opened' : (actionNames[action] ?? action),
    eventDate: new Date(at).toISOString(),
  }))
}
