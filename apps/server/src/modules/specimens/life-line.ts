import { can } from '@lis/contract/access/permissions.ts'
import { displayStatus, isStatusCode, requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import type { SampleEvent } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { described } from './queries.ts'

type Row = Omit<SampleEvent, 'id'>

/**
 * Everything that happened to the samples of a requisition, in the order of time: read from where each thing is written anyway, so
 * that it cannot disagree with the tabs. Where samples lie is told only to those who have the tab for it.
 */
export const lifeLineOf = async (db: Db, actor: Actor, requisitionId: number): Promise<SampleEvent[]> => {
  const { id, lab_zone: zone } = await requireRequisition(db, actor, requisitionId)
  const seesPlaces = can(actor.role, 'requisitionTabs.locations')
  const { rows } = await sql<{ row: Row }>`
    select row_to_json(e) as row from (
      ${ordered(id)} union all ${received(id)} union all ${tests(id)} union all ${statuses(id)}
      ${seesPlaces ? sql`union all ${places(id)}` : sql``}
    ) e order by at, step, detail`.execute(db)
  return rows.map(({ row: { kind, at, zone: own, title, detail, byName, specimenId } }, index) => ({
    id: index + 1,
    kind,
    at,
    zone: own ?? zone,
    title: kind === 'STATUS' && isStatusCode(title) ? displayStatus(title) : title,
    detail,
    byName,
    specimenId,
  }))
}

const nobody = sql`null::text`
const noOne = sql`null::bigint`
/** Practices read this too: who it was, not the name somebody signs in by. */
const fullName = sql`u.first_name || ' ' || u.last_name`

/** Drawn, entered, and the labels that were printed for it. */
const ordered = (id: number) => sql`
  select 'COLLECTED' as kind, r.collected_at as at, r.collected_zone as zone, 'Collected' as title,
    nullif(concat_ws(', ', (select description from lov where type_code = 'COLLECTIONMETHOD' and code = r.collect_code),
      'centrifuged ' || to_char(r.centrifuged_time, 'HH24:MI')), '') as detail, r.collected_by as "byName", ${noOne} as "specimenId", 1 as step
  from requisition r where r.id = ${id}
  union all
  select 'LOGGED', r.logged_at, null, 'Logged', null, ${fullName}, null, 2 from requisition r left join app_user u on u.id = r.created_by where r.id = ${id}
  union all
  select 'LABELLED', a.at, null, case when a.new_data ->> 'output' <> 'PRINTER' then 'Labels downloaded' else 'Labels printed' end, a.new_data ->> 'labels', ${fullName}, null, 4
  from audit_entry a left join app_user u on u.id = a.actor_id where a.requisition_id = ${id} and a.action = 'LABEL'`

const received = (id: number) => sql`
  select 'RECEIVED', s.received_at, s.received_zone, 'Received', ${described('SPECIMENTYPE', sql`s.type_code`)} || ', ' ||
    ${described('CONTAINERTYPE', sql`s.container_code`)} || ', ' || s.tube_count || case s.tube_count when 1 then ' tube, ' else ' tubes, ' end ||
    ${described('TEMPERATURETYPE', sql`s.temperature_code`)}, ${fullName}, s.id, 3
  from specimen s left join app_user u on u.id = s.created_by where s.requisition_id = ${id} and s.deleted_at is null`

/** Tests that were ordered or resulted in the same minute are one event; values are for the tab that shows them. */
const tests = (id: number) => sql`
  select 'ORDERED', min(rt.created_at), null, case when rt.retest_of_id is null then 'Tests ordered' else 'Retest' end, string_agg(distinct t.code, ', '), ${nobody}, null, 5
  from requisition_test rt join test t on t.id = rt.test_id where rt.requisition_id = ${id} and rt.deleted_at is null
  group by date_trunc('minute', rt.created_at), rt.retest_of_id is null
  union all
  select 'RESULTED', min(rt.resulted_at), null, 'Tests resulted', string_agg(distinct t.code, ', '), max(${fullName}), null, 7
  from requisition_test rt join test t on t.id = rt.test_id left join app_user u on u.id = rt.resulted_by
  where rt.requisition_id = ${id} and rt.deleted_at is null and rt.resulted_at is not null group by date_trunc('minute', rt.resulted_at), rt.resulted_by`

/** What happens to the bill does not happen to the sample. */
const ofBills = requisitionStatuses.filter(({ group }) => group === 'Billed').map(({ code }) => code)

const statuses = (id: number) => sql`
  select 'STATUS', e.at, null, e.to_code, e.reason, ${fullName}, null, 6
  from requisition_status_event e left join app_user u on u.id = e.actor_id where e.requisition_id = ${id} and e.from_code is not null
    and e.to_code <> all(${ofBills}::text[])`

const placed = sql`${described('SPECLOCTYPE', sql`l.spec_loc_type_code`)} || ': ' || f.description || ' › ' || b.shelf || ' › ' || b.rack || ' › ' || b.box || ' › ' || s.row_letter || s.slot`
const ofLocation = sql`specimen_location l join freezer_slot s on s.id = l.slot_id join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id`

const places = (id: number) => sql`
  select 'PLACED', l.placed_at, null, 'Placed', ${placed}, ${fullName}, l.specimen_id, 8
  from ${ofLocation} left join app_user u on u.id = l.placed_by where l.requisition_id = ${id}
  union all
  select 'DISCARDED', l.discarded_at, null, 'Discarded', ${placed}, ${fullName}, l.specimen_id, 9
  from ${ofLocation} left join app_user u on u.id = l.discarded_by where l.requisition_id = ${id} and l.discarded_at is not null`
