import { can } from '@lis/contract/access/permissions.ts'
import { displayStatus, isStatusCode, requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import type { SampleEvent } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { zoneAbbreviation } from '../../platform/zones.ts'
import { lookupDescription, lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { requireRequisition } from '../requisition-record/queries.ts'

type Row = Omit<SampleEvent, 'id'>

/**
 * Everything that happened to the samples of a requisition in order of time, read from the records themselves, so that it cannot
 * disagree with the tabs. Storage places are shown only to those who may see the Locations tab.
 */
export const readLifeLine = async (db: Db, actor: Actor, requisitionId: number): Promise<SampleEvent[]> => {
  const { id, lab_zone: zone } = await requireRequisition(db, actor, requisitionId)
  const seesLocations = can(actor.role, 'requisitionTabs.locations')
  const { rows } = await sql<{ row: Row }>`
    select row_to_json(e) as row from (
      ${collection(id)} union all ${receipts(id)} union all ${tests(id)} union all ${statuses(id)}
      ${seesLocations ? sql`union all ${placements(id)}` : sql``}
    ) e order by at, step, detail`.execute(db)
  return rows.map(({ row: { kind, at, zone: ownZone, title, detail, byName, specimenId } }, index) => ({
    id: index + 1,
    kind,
    at,
    zone: ownZone ?? zone,
    title: kind === 'STATUS' && isStatusCode(title) ? displayStatus(title) : title,
    // The time centrifuged is in the time zone of the collection.
    detail: kind === 'COLLECTED' ? withZone(detail, zoneAbbreviation(at, ownZone ?? zone)) : detail,
    byName,
    specimenId,
  }))
}

const withZone = (detail: string | null, zone: string) =>
  detail?.replace(/centrifuged \d\d:\d\d$/, (time) => `${time} ${zone}`) ?? null

const noName = sql`null::text`
const noSpecimen = sql`null::bigint`
/** The user name is for signing in; practices see the full name. */
const fullName = sql`u.first_name || ' ' || u.last_name`

/** Collected, entered and labelled. */
const collection = (id: number) => sql`
  select 'COLLECTED' as kind, r.collected_at as at, r.collected_zone as zone, 'Collected' as title,
    nullif(concat_ws(', ', ${lookupDescription('COLLECTIONMETHOD', sql`r.collect_code`)},
      'centrifuged ' || to_char(r.centrifuged_time, 'HH24:MI')), '') as detail, r.collected_by as "byName", ${noSpecimen} as "specimenId", 1 as step
  from requisition r where r.id = ${id}
  union all
  select 'LOGGED', r.logged_at, null, 'Logged', null, ${fullName}, null, 2 from requisition r left join app_user u on u.id = r.created_by where r.id = ${id}
  union all
  select 'LABELLED', a.at, null, case when a.new_data ->> 'output' <> 'PRINTER' then 'Labels downloaded' else 'Labels printed' end, a.new_data ->> 'labels', ${fullName}, null, 4
  from audit_entry a left join app_user u on u.id = a.actor_id where a.requisition_id = ${id} and a.action = 'LABEL'`

const receipts = (id: number) => sql`
  select 'RECEIVED', s.received_at, s.received_zone, 'Received', ${lookupDescriptionOrCode('SPECIMENTYPE', sql`s.type_code`)} || ', ' ||
    ${lookupDescriptionOrCode('CONTAINERTYPE', sql`s.container_code`)} || ', ' || s.tube_count || case s.tube_count when 1 then ' tube, ' else ' tubes, ' end ||
    ${lookupDescriptionOrCode('TEMPERATURETYPE', sql`s.temperature_code`)}, ${fullName}, s.id, 3
  from specimen s left join app_user u on u.id = s.created_by where s.requisition_id = ${id} and s.deleted_at is null`

/** Tests that were ordered or resulted in the same minute are one event; values are shown on the Tests tab only. */
const tests = (id: number) => sql`
  select 'ORDERED', min(rt.created_at), null, case when rt.retest_of_id is null then 'Tests ordered' else 'Retest' end, string_agg(distinct t.code, ', '), ${noName}, null, 5
  from requisition_test rt join test t on t.id = rt.test_id where rt.requisition_id = ${id} and rt.deleted_at is null
  group by date_trunc('minute', rt.created_at), rt.retest_of_id is null
  union all
  select 'RESULTED', min(rt.resulted_at), null, 'Tests resulted', string_agg(distinct t.code, ', '), max(${fullName}), null, 7
  from requisition_test rt join test t on t.id = rt.test_id left join app_user u on u.id = rt.resulted_by
  where rt.requisition_id = ${id} and rt.deleted_at is null and rt.resulted_at is not null group by date_trunc('minute', rt.resulted_at), rt.resulted_by`

/** Billing does not concern the sample. */
const billingStatusCodes = requisitionStatuses.filter(({ group }) => group === 'Billed').map(({ code }) => code)

const statuses = (id: number) => sql`
  select 'STATUS', e.at, null, e.to_code, e.reason, ${fullName}, null, 6
  from requisition_status_event e left join app_user u on u.id = e.actor_id where e.requisition_id = ${id} and e.from_code is not null
    and e.to_code <> all(${billingStatusCodes}::text[])`

const position = sql`${lookupDescriptionOrCode('SPECLOCTYPE', sql`l.spec_loc_type_code`)} || ': ' || f.description || ' › ' || b.shelf || ' › ' || b.rack || ' › ' || b.box || ' › ' || s.row_letter || s.slot`
const locations = sql`specimen_location l join freezer_slot s on s.id = l.slot_id join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id`

const placements = (id: number) => sql`
  select 'PLACED', l.placed_at, null, 'Placed', ${position}, ${fullName}, l.specimen_id, 8
  from ${locations} left join app_user u on u.id = l.placed_by where l.requisition_id = ${id}
  union all
  select 'DISCARDED', l.discarded_at, null, 'Discarded', ${position}, ${fullName}, l.specimen_id, 9
  from ${locations} left join app_user u on u.id = l.discarded_by where l.requisition_id = ${id} and l.discarded_at is not null`
