import { resultReadPermissions } from '@lis/contract/access/permissions.ts'
import { type ResultKey, resultColumns, resultKeys } from '@lis/contract/results/result-keys.ts'
import { sql } from 'kysely'
import { isRequisitionFailed, visibleRequisitions } from '../requisition-record/queries.ts'
import { columnsOf, localTime, type ReportDefinition } from './definition.ts'

const patient = sql`p.last_name || ', ' || p.first_name`
const noChart = { label: [], bars: [], isStacked: false, unit: '' }

/** TEST-G7: one wide row per requisition and day of processing, with the columns of the processed tests. */
export const adHocTests = (reqIds: readonly number[]): ReportDefinition => ({
  code: 'ADHOC',
  access: resultReadPermissions,
  columns: columnsOf(
    ['reqId', 'Req ID', 'integer'],
    ['patientName', 'Patient Name'],
    ['patientDob', 'Patient DOB', 'date'],
    ['clientName', 'Client'],
    ['dateCollected', 'Collection Date', 'datetime'],
    ['processDate', 'Process Date', 'datetime'],
    ...resultKeys.map((key): [string, string] => [key, resultColumns[key as ResultKey]]),
  ),
  chart: noChart,
  query: ({
    actor,
  }) => sql`select 'row' as "rowKind", l.requisition_id as "reqId", ${patient} as "patientName", p.dob::text as "patientDob", c.name as "clientName",
      max(${localTime(sql`l.collected_at`, sql`l.collected_zone`)}) as "dateCollected", max(${localTime(sql`rt.process_date`)}) as "processDate",
      ${sql.join(
        resultKeys.map(
          (key) =>
            sql`coalesce(max(rt.reportable_result) filter (where t.result_key = ${sql.lit(key)}), max(rt.reagent) filter (where t.reagent_key = ${sql.lit(key)})) as ${sql.ref(key)}`,
        ),
      )}
    from requisition_list l join (select id, zone as lab_zone from lab) lab on lab.id = l.lab_id join requisition_patient p on p.requisition_id = l.requisition_id join client c on c.id = l.client_id
    join requisition_test rt on rt.requisition_id = l.requisition_id and rt.deleted_at is null and not rt.is_retest and not rt.is_modifiable and rt.reportable_result is not null and rt.process_date is not null
    join test t on t.id = rt.test_id
    where l.requisition_id = any(${[...reqIds]}::bigint[]) and not ${isRequisitionFailed(sql`l.requisition_id`)} and ${visibleRequisitions(actor)}
    group by l.requisition_id, p.last_name, p.first_name, p.dob, c.name, (rt.process_date at time zone lab.lab_zone)::date order by l.requisition_id, max(rt.process_date)`,
})

/** The requisitions of one event of a client. */
export const eventRequisitions = (clientId: number, eventId: number): ReportDefinition => ({
  code: 'EVENT',
  columns: columnsOf(
    ['reqId', 'Req ID', 'integer'],
    ['extOrderId', 'External Order ID'],
    ['patientName', 'Patient Name'],
    ['patientDob', 'Patient DOB', 'date'],
    ['gender', 'Gender'],
    ['physicianName', 'Physician'],
    ['dateCollected', 'Collection Date', 'datetime'],
    ['dateReceived', 'Received', 'datetime'],
    ['testCodes', 'Tests'],
    ['reqStatusDesc', 'Status'],
    ['releaseDate', 'Released', 'datetime'],
  ),
  chart: noChart,
  query: ({
    actor,
  }) => sql`select 'row' as "rowKind", l.requisition_id as "reqId", r.ext_order_id as "extOrderId", ${patient} as "patientName", p.dob::text as "patientDob",
      initcap(p.gender_code) as gender, ph.last_name || ', ' || ph.first_name as "physicianName", ${localTime(sql`l.collected_at`, sql`l.collected_zone`)} as "dateCollected",
      ${localTime(sql`l.received_at`)} as "dateReceived", replace(l.test_codes, ',', ', ') as "testCodes", st.description as "reqStatusDesc", ${localTime(sql`l.released_at`)} as "releaseDate"
    from requisition_list l join requisition r on r.id = l.requisition_id join (select id, zone as lab_zone from lab) lab on lab.id = l.lab_id join requisition_patient p on p.requisition_id = l.requisition_id join physician ph on ph.id = l.physician_id
    join requisition_status_type st on st.code = l.status_code
    where l.client_id = ${clientId}::bigint and l.event_id = ${eventId}::bigint and ${visibleRequisitions(actor)} order by l.requisition_id`,
})
