import type { Role } from '@lis/contract/access/roles.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import type { RequisitionReason } from '@lis/contract/requisitions/record.ts'
import { type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { type CompiledQuery, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { flag01, flag01OrNull } from '../../platform/db/expressions.ts'
import { isUnrestricted } from '../../platform/db/scope.ts'
import { zoneAbbreviation } from '../../platform/zones.ts'
import { openIssues } from '../issues/queries.ts'
import { type ListNames, namesByKey } from '../requisition-record/names.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

type Stored = Omit<RequisitionDetail, 'reqStatusDesc' | 'reqBillStatusDesc' | 'labTzAbbr' | 'collectedTzAbbr'>

/** Everything the header and the first tab show, in one query. */
export const findRequisition = async (
  db: Db,
  actor: Actor,
  id: number,
  names: ListNames = namesByKey,
): Promise<RequisitionDetail | undefined> => {
  const statements = statementsOf(names)
  const known = isUnrestricted(actor.scope) ? statements.get(actor.role) : undefined
  const statement = known ? { ...known, parameters: [id] } : selectRequisition(actor, id, names).compile(db)
  if (!known && isUnrestricted(actor.scope) && isOnly(id, statement.parameters)) statements.set(actor.role, statement)
  const { rows } = await db.executeQuery(statement)
  return rows[0] && withDescriptions(rows[0].row)
}

/** By role: without a scope the id is the only parameter, and putting the text together takes as long as reading the row. */
type Statements = Map<Role, CompiledQuery<{ row: Stored }>>
const statementsByNames = new WeakMap<ListNames, Statements>()
const statementsOf = (names: ListNames): Statements => {
  const statements = statementsByNames.get(names) ?? new Map()
  statementsByNames.set(names, statements)
  return statements
}
const isOnly = (id: number, parameters: readonly unknown[]) => parameters.length === 1 && parameters[0] === id

const selectRequisition = (actor: Actor, id: number, names: ListNames) =>
  sql<{ row: Stored }>`select row_to_json(x) as row from (
    select r.id, r.id as "reqId", r.status_code as "reqStatusCode", r.source_requisition_id as "sourceReqId", r.discrepancy_msg as "discrepancyMsg",
      r.legacy_icd_note as "legacyIcdNote",
      json_build_object('salesReps', coalesce((select json_agg(json_build_object('salesId', s.id, 'salesRepCode', s.rep_code) order by cs.is_primary desc, s.rep_code)
        from client_sales cs join sales_person s on s.id = cs.sales_person_id where cs.client_id = r.client_id), '[]'))::text as "salesJson",
      r.patient_id as "patientId", r.id as "patientHistId", p.first_name as "patientFirstName", p.middle_name as "patientMiddleName",
      p.last_name as "patientLastName", p.dob as "patientDob", p.gender_code as "patientGenderCode", ${names.lookup('GENDER', sql`p.gender_code`)} as "patientGenderDesc",
      extract(year from age(p.dob))::int as "patientAge",
      r.client_id as "clientId", c.name as "clientName", c.legacy_client_id as "legacyClientId", c.zone as "clientTz",
      r.collaborator_id as "colaId", cola.name as "colaName", r.lab_id as "labId", lab.name as "labName", lab.zone as "labTz",
      r.ordering_client_physician_id as "orderingClientPhysId", r.physician_id as "physId", ph.first_name as "physFirstName", ph.last_name as "physLastName", ph.title as "physTitle",
      r.copy_to_client_id as "copyToClientId", cc.name as "copyToClientName", r.copy_client_physician_id as "copyToClientPhysId",
      r.copy_physician_id as "copyToPhysId", cp.first_name as "copyToPhysFirstName", cp.last_name as "copyToPhysLastName",
      r.event_id as "eventId", e.name as "eventName", r.ext_order_id as "extOrderId", r.ext_accession_id as "extAccessionId",
      ${flag01OrNull(sql`r.is_fasting`)} as "isFasting", r.collected_at as "dateCollected", r.collected_zone as "collectedTz",
      ${flag01(sql`r.is_to_collect`)} as "isToCollect",
      to_char(r.centrifuged_time, 'HH24:MI') as "timeCentrifuged", r.collect_code as "collectCode", ${names.lookup('COLLECTIONMETHOD', sql`r.collect_code`)} as "collectDesc",
      r.collected_by as "collectedBy", l.received_at as "dateReceived", r.logged_at as "dateLogged", r.cryo_flag as "cryoFlag", r.cryo_print_nbr as "cryoPrintNbr",
      l.test_codes as "testCodes", ${flag01(sql`'DP' = any(string_to_array(l.test_codes, ','))`)} as "isShowDp",
      ${flag01(sql`l.is_downloadable`)} as "isDownloadable",
      (select max(v.created_at) from report x join report_version v on v.report_id = x.id where x.requisition_id = r.id and x.deleted_at is null) as "latestReportedDate",
      ${flag01(sql`r.is_dem_qc_pass`)} as "isDemQcPass", ${flag01(sql`r.is_send_notif`)} as "isSendNotif",
      r.bill_type_code as "reqBillTypeCode", ${names.lookup('REQBILLTYPE', sql`r.bill_type_code`)} as "reqBillTypeDesc",
      array_to_string(l.flag_ids, ',') as flag, ${openIssues(actor).count} as "issueCount", r.version
    from requisition r join requisition_list l on l.requisition_id = r.id join requisition_patient p on p.requisition_id = r.id
      join client c on c.id = r.client_id join collaborator cola on cola.id = r.collaborator_id join lab on lab.id = r.lab_id
      join physician ph on ph.id = r.physician_id left join client cc on cc.id = r.copy_to_client_id left join physician cp on cp.id = r.copy_physician_id
      join client_event e on e.id = r.event_id
    where r.id = ${id} and r.deleted_at is null and ${visibleRequisitions(actor)}) x`

const withDescriptions = (row: Stored): RequisitionDetail => {
  const { group, description } = statusOf(row.reqStatusCode as StatusCode)
  return {
    ...row,
    reqStatusDesc: description,
    reqBillStatusDesc: group === 'Billed' ? description : null,
    collectedTzAbbr: zoneAbbreviation(row.dateCollected, row.collectedTz),
    labTzAbbr: zoneAbbreviation(row.dateReceived ?? row.dateLogged, row.labTz),
  }
}

export const listReasons = (db: Db, requisitionId: number): Promise<RequisitionReason[]> =>
  db
    .selectFrom('requisition_reason as x')
    .innerJoin('reason as r', 'r.id', 'x.reason_id')
    .select((eb) => {
      const onlyOf = (type: 'FAIL' | 'PASS', column: 'r.code' | 'r.description') =>
        eb.case().when('r.type_code', '=', type).then(eb.ref(column)).end()
      return [
        'r.id as reasonId',
        eb.ref('r.type_code').$castTo<RequisitionReason['reasonTypeCode']>().as('reasonTypeCode'),
        onlyOf('FAIL', 'r.code').as('failCode'),
        onlyOf('FAIL', 'r.description').as('failDesc'),
        onlyOf('PASS', 'r.code').as('passCode'),
        onlyOf('PASS', 'r.description').as('passDesc'),
      ]
    })
    .where('x.requisition_id', '=', requisitionId)
    .orderBy('r.type_code')
    .orderBy('r.sort_order')
    .execute()
