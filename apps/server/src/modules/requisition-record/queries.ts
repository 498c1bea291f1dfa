import { can } from '@lis/contract/access/permissions.ts'
import { superAdmins } from '@lis/contract/access/roles.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { notFound } from '../../platform/http/errors.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Sql } from '../../platform/lists.ts'
import { zoneAbbreviation } from '../../platform/zones.ts'
import { isIssueFor } from '../issues/queries.ts'

/** Which requisitions a person may see, as a condition on their list row `l`; every query about requisitions carries it. */
export const visibleRequisitions = ({ scope }: Pick<Actor, 'scope'>): RawBuilder<unknown> => {
  const [first = 0] = scope.ids
  switch (scope.role) {
    case 'SYSTEM':
    case 'ADM':
    case 'MGMT':
    case 'STF':
      return sql`true`
    case 'CLNT':
      return sql`l.client_id = ${first}`
    case 'COLA':
      return sql`l.collaborator_id = ${first}`
    case 'PHYS':
      return sql`(l.physician_id = ${first} or l.copy_physician_id = ${first})`
    case 'SLS':
      return sql`l.client_id = any(${[...scope.ids]}::int[])`
    case 'BILL':
      return sql`l.is_batched`
    default:
      return sql`false`
  }
}

/** How many open issues of the list row `l` the reader finds on its tab, and the departments that reported them. */
export const openIssues = ({ role }: Pick<Actor, 'role'>): { count: Sql; departmentIds: Sql } => {
  if (can(role, 'reports.deliver'))
    return { count: sql`l.open_issue_count`, departmentIds: sql`l.issue_department_ids` }
  const readable = sql`from issue i where i.requisition_id = l.requisition_id and i.deleted_at is null and i.status_code not in ('RESOLVED', 'CLOSED') and ${isIssueFor(role)}`
  return {
    count: sql`(case when l.open_issue_count = 0 then 0 else (select count(*)::int ${readable}) end)`,
    departmentIds: sql`array(select distinct i.reporter_department_id ${readable})`,
  }
}

/** What every part of a requisition asks about the whole: whose it is and how far it has come. */
export interface RequisitionHead {
  id: number
  version: number
  status_code: StatusCode
  patient_id: number
  client_id: number
  collaborator_id: number
  lab_id: number
  lab_zone: string
  physician_id: number
  collected_at: string
  collected_zone: string
  bill_type_code: string | null
}

const headsOf = (actor: Actor, which: Sql) => sql`
  select r.id, r.version, r.status_code, r.patient_id, r.client_id, r.collaborator_id, r.lab_id, lab.zone as lab_zone, r.physician_id, r.collected_at,
    r.collected_zone, r.bill_type_code
  from requisition r join requisition_list l on l.requisition_id = r.id join lab on lab.id = r.lab_id
  where ${which} and r.deleted_at is null and ${visibleRequisitions(actor)}`
const headOf = (actor: Actor, id: number) => headsOf(actor, sql`r.id = ${id}`)

/** A requisition that this person may see; outside the scope it does not exist. Every read of its parts begins here. */
export const requireRequisition = async (db: Db, actor: Actor, id: number): Promise<RequisitionHead> => {
  const { rows } = await sql<RequisitionHead>`${headOf(actor, id)}`.execute(db)
  if (!rows[0]) throw notFound('Requisition')
  return rows[0]
}

/** The same, held until the write is done. Every write on its parts begins here, so that two of them follow each other. */
export const lockRequisition = async (
  trx: Trx,
  actor: Actor,
  id: number,
  expected: number | null = null,
): Promise<RequisitionHead> => {
  const { rows } = await sql<RequisitionHead>`${headOf(actor, id)} for no key update of r`.execute(trx)
  const found = rows[0]
  if (!found) throw notFound('Requisition')
  await requireVersion(trx, 'requisition', expected, found)
  return found
}

/** The requisitions of a patient that this person may see, as the end of a query. */
export const requisitionsOfPatient = (actor: Actor, patientId: Sql): Sql => sql`
  from requisition r join requisition_list l on l.requisition_id = r.id
  where r.patient_id = ${patientId} and r.deleted_at is null and ${visibleRequisitions(actor)}`

/** A patient is known to whoever may see one of their requisitions; to super admins also before the first. */
export const isPatientInScope = (actor: Actor, patientId: Sql): Sql =>
  superAdmins.some((role) => role === actor.role)
    ? sql`true`
    : sql`exists (select ${requisitionsOfPatient(actor, patientId)})`

/** A patient this person may know; of any other not even the existence. Every read of a patient's records begins here. */
export const requirePatientInScope = async (db: Db, actor: Actor, patientId: number): Promise<void> => {
  const { rows } = await sql`select 1 from patient p
    where p.id = ${patientId}::bigint and p.deleted_at is null and ${isPatientInScope(actor, sql`p.id`)}`.execute(db)
  if (rows.length === 0) throw notFound('Patient')
}

/**
 * Demographic QC of requisition `r` has to look anew: its patient was exchanged, or a person took the pass back. Before the first look
 * partial reports go out without it.
 */
export const isDemographicQcReopened = sql<boolean>`(not r.is_dem_qc_pass and exists (select from audit_entry a
  where a.requisition_id = r.id and a.entity = 'requisition' and (a.old_data ? 'patientId' or a.old_data ->> 'isDemQcPass' = '1')))`

/** Many at once, in the order of their numbers, so that two loads wait for each other; what is outside the scope is not among them. */
export const lockRequisitions = async (
  trx: Trx,
  actor: Actor,
  ids: readonly number[],
): Promise<Map<number, RequisitionHead>> => {
  const { rows } = await sql<RequisitionHead>`
    ${headsOf(actor, sql`r.id = any(${[...ids]}::bigint[])`)} order by r.id for no key update of r`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The numbers of all requisitions with a fail code on the whole, for reports over many: there they are collected once. */
export const failedRequisitions: Sql = sql`select whole.requisition_id from requisition_reason whole
  where whole.reason_id = any(array(select fail.id from reason fail where fail.type_code = 'FAIL'))`

/** None of its tests counts as performed, nor any result of it as the patient's, whatever has been entered. Looked up by key. */
export const isRequisitionFailed = (id: Sql): Sql =>
  sql`exists (${failedRequisitions} and whole.requisition_id = ${id})`

/** The same scope for queries that begin elsewhere, as a condition on the number of a requisition. */
export const visibleRequisition = (actor: Pick<Actor, 'scope'>, id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from requisition_list l where l.requisition_id = ${id} and ${visibleRequisitions(actor)})`

/** Selects what people call a requisition: number, patient and date of birth; of a deleted one too. */
export const labelOfRequisition = (id: Sql): Sql => sql`
  select '#' || r.id || ' | ' || p.last_name || ', ' || p.first_name || ' (' || to_char(p.dob, 'MM/DD/YYYY') || ')'
  from requisition r join requisition_patient p on p.requisition_id = r.id where r.id = ${id}`

const lov = (type: string, code: ReturnType<typeof sql>) =>
  sql`(select description from lov where type_code = ${sql.lit(type)} and code = ${code})`

type Stored = Omit<RequisitionDetail, 'reqStatusDesc' | 'reqBillStatusDesc' | 'labTzAbbr' | 'collectedTzAbbr'>

/** Everything the header and the first tab show, in one query. */
export const findRequisition = async (db: Db, actor: Actor, id: number): Promise<RequisitionDetail | undefined> => {
  const { rows } = await sql<{ row: Stored }>`select row_to_json(x) as row from (
    select r.id, r.id as "reqId", r.status_code as "reqStatusCode", r.source_requisition_id as "sourceReqId", r.discrepancy_msg as "discrepancyMsg",
      r.legacy_icd_note as "legacyIcdNote",
      json_build_object('salesReps', coalesce((select json_agg(json_build_object('salesId', s.id, 'salesRepCode', s.rep_code) order by cs.is_primary desc, s.rep_code)
        from client_sales cs join sales_person s on s.id = cs.sales_person_id where cs.client_id = r.client_id), '[]'))::text as "salesJson",
      r.patient_id as "patientId", r.id as "patientHistId", p.first_name as "patientFirstName", p.middle_name as "patientMiddleName",
      p.last_name as "patientLastName", p.dob as "patientDob", p.gender_code as "patientGenderCode", ${lov('GENDER', sql`p.gender_code`)} as "patientGenderDesc",
      extract(year from age(p.dob))::int as "patientAge",
      r.client_id as "clientId", c.name as "clientName", c.legacy_client_id as "legacyClientId", c.zone as "clientTz",
      r.collaborator_id as "colaId", cola.name as "colaName", r.lab_id as "labId", lab.name as "labName", lab.zone as "labTz",
      r.ordering_client_physician_id as "orderingClientPhysId", r.physician_id as "physId", ph.first_name as "physFirstName", ph.last_name as "physLastName", ph.title as "physTitle",
      r.copy_to_client_id as "copyToClientId", cc.name as "copyToClientName", r.copy_client_physician_id as "copyToClientPhysId",
      r.copy_physician_id as "copyToPhysId", cp.first_name as "copyToPhysFirstName", cp.last_name as "copyToPhysLastName",
      r.event_id as "eventId", e.name as "eventName", r.ext_order_id as "extOrderId", r.ext_accession_id as "extAccessionId",
      case r.is_fasting when true then 1 when false then 0 end as "isFasting", r.collected_at as "dateCollected", r.collected_zone as "collectedTz",
      to_char(r.centrifuged_time, 'HH24:MI') as "timeCentrifuged", r.collect_code as "collectCode", ${lov('COLLECTIONMETHOD', sql`r.collect_code`)} as "collectDesc",
      r.collected_by as "collectedBy", l.received_at as "dateReceived", r.logged_at as "dateLogged", r.cryo_flag as "cryoFlag", r.cryo_print_nbr as "cryoPrintNbr",
      l.test_codes as "testCodes", case when 'DP' = any(string_to_array(l.test_codes, ',')) then 1 else 0 end as "isShowDp",
      case when l.is_downloadable then 1 else 0 end as "isDownloadable",
      (select max(v.created_at) from report x join report_version v on v.report_id = x.id where x.requisition_id = r.id and x.deleted_at is null) as "latestReportedDate",
      case when r.is_dem_qc_pass then 1 else 0 end as "isDemQcPass", case when r.is_send_notif then 1 else 0 end as "isSendNotif",
      r.bill_type_code as "reqBillTypeCode", ${lov('REQBILLTYPE', sql`r.bill_type_code`)} as "reqBillTypeDesc",
      array_to_string(l.flag_ids, ',') as flag, ${openIssues(actor).count} as "issueCount", r.version
    from requisition r join requisition_list l on l.requisition_id = r.id join requisition_patient p on p.requisition_id = r.id
      join client c on c.id = r.client_id join collaborator cola on cola.id = r.collaborator_id join lab on lab.id = r.lab_id
      join physician ph on ph.id = r.physician_id left join client cc on cc.id = r.copy_to_client_id left join physician cp on cp.id = r.copy_physician_id
      join client_event e on e.id = r.event_id
    where r.id = ${id} and r.deleted_at is null and ${visibleRequisitions(actor)}) x`.execute(db)
  return rows[0] && described(rows[0].row)
}

/** What the audit keeps of requisitions that were just made, with names instead of numbers. */
export const findCreationFacts = async (
  db: Db,
  actor: Actor,
  ids: readonly number[],
): Promise<Map<number, Record<string, unknown>>> => {
  const { rows } = await sql<{
    id: number
    facts: Record<string, unknown>
  }>`select x.id, row_to_json(x)::jsonb - 'id' as facts from (
    select r.id, r.source_requisition_id as "sourceReqId", p.last_name || ', ' || p.first_name as "patientName", p.dob as "patientDob",
      c.name as "clientName", cola.name as "colaName", ph.last_name || ', ' || ph.first_name as "physName", e.name as "eventName",
      lab.name as "labName", r.collected_at as "dateCollected"
    from requisition r join requisition_list l on l.requisition_id = r.id join patient p on p.id = r.patient_id
      join client c on c.id = r.client_id join collaborator cola on cola.id = r.collaborator_id join lab on lab.id = r.lab_id
      join physician ph on ph.id = r.physician_id join client_event e on e.id = r.event_id
    where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null and ${visibleRequisitions(actor)}) x`.execute(db)
  return new Map(rows.map(({ id, facts }) => [Number(id), facts]))
}

const described = (row: Stored): RequisitionDetail => {
  const { group, description } = statusOf(row.reqStatusCode as StatusCode)
  return {
    ...row,
    reqStatusDesc: description,
    reqBillStatusDesc: group === 'Billed' ? description : null,
    collectedTzAbbr: zoneAbbreviation(row.dateCollected, row.collectedTz),
    labTzAbbr: zoneAbbreviation(row.dateReceived ?? row.dateLogged, row.labTz),
  }
}
