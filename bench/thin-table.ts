import type { Pool } from '../apps/server/src/platform/db/pool.ts'

/**
 * The thinnest table that could answer the columns of the requisition list: each row as the text of its JSON, made once for a laboratory. No
 * name is joined and nothing is printed when it is read; what depends on the present hour is as it was when the table was made.
 */
export const makeThinTable = async (owner: Pool) => {
  const { rows } = await owner.query<{ made: boolean }>(
    `select to_regclass('bench.requisition_row') is not null as made`,
  )
  if (rows[0]?.made) return
  await owner.query(`create schema if not exists bench`)
  await owner.query(
    `create table bench.requisition_row as select w.id, row_to_json(w)::text as row from (${wideRow}) w order by w.id`,
  )
  await owner.query('alter table bench.requisition_row add primary key (id)')
  await owner.query('vacuum analyze bench.requisition_row')
}

const wideRow = `select l.requisition_id as id, l.requisition_id as "reqId", l.requisition_id as "reqID", l.patient_id as "patientId", l.collaborator_id as "colaId", p.first_name as "patientFirstName", p.last_name as "patientLastName", l.patient_dob as "patientDob",
  (select description from lov where type_code = 'GENDER' and code = l.gender_code) as "patientGenderDesc", extract(year from age(l.patient_dob))::int as "patientAge",
  l.status_code as "reqStatusCode", (select description from requisition_status_type where code = l.status_code) as "reqStatusDesc",
  l.physician_id as "physId", ph.first_name as "physFirstName", ph.last_name as "physLastName", l.client_id as "clientId", c.legacy_client_id as "legacyClientId", c.name as "clientName",
  (select name from collaborator where id = l.collaborator_id) as "colaName", l.collected_at as "dateCollected", l.collected_zone as "collectedTz", l.received_at as "dateReceived",
  (select zone from lab where id = l.lab_id) as "labTz", l.logged_at as "dateLogged", l.reported_at as "reportedStatusDate", l.test_codes as "testCodes",
  (select description from lov where type_code = 'REQBILLTYPE' and code = l.bill_type_code) as "reqBillTypeDesc", l.insurance_company as "insuranceCompany", l.flag_ids as flag,
  l.open_issue_count as "issueCount", l.is_partial_report as "partialReport", l.is_partial_release as "partialRelease", l.is_send_notif as "isSendNotif",
  l.is_dem_qc_pass as "isDemQcPass", l.is_downloadable as "isDownloadable", case when l.pass_reason_ids = '{}' then '[]'::json else
    (select json_agg(json_build_object('reasonId', r.id, 'passCode', r.code, 'passDesc', r.description) order by r.sort_order) from reason r where r.id = any(l.pass_reason_ids)) end as "reqPassCodes",
  case when l.open_issue_count = 0 then '' else
    (select string_agg(d.name, ', ' order by d.sort_order) from department d where d.id = any(l.issue_department_ids)) end as "reporterDeptcodes",
  floor(extract(epoch from coalesce(l.released_at, now()) - l.received_at) / 3600)::int as tat,
  (select description from lov where type_code = 'TRANSMITMETHOD' and code = c.transmit_method_code) as "clientTransmitMethodDesc", (select description from lov where type_code = 'TRANSMITMETHOD' and code = l.delivery_method_code) as "latestTransmitMethodDesc",
  l.delivered_at as "latestDeliveryDate", (select u.first_name || ' ' || u.last_name from app_user u where u.id = l.delivered_by) as "latestDeliveredByName",
  l.sales_rep_code as "salesRepCode", (select version from requisition where id = l.requisition_id) as version
  from requisition_list l join patient p on p.id = l.patient_id join client c on c.id = l.client_id join physician ph on ph.id = l.physician_id`
