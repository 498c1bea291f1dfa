/**
 * What must hold for every requisition of the demo data (decisions §2), as queries that find the ones for which it does not.
 * `ordinal` is the place in the life cycle: 10 Logged, 20 Accessioned, 30 Processing … 70 Delivered, above that billing.
 */
const staged =
  '(select r.*, st.sort_order as ordinal from requisition r join requisition_status_type st on st.code = r.status_code) r'

const insured = "('INSURANCE', 'MEDICARE', 'MEDICAID')"
const hasPrimary =
  'exists (select from billing b join insurance i on i.billing_id = b.id and i.billing_order = 1 and i.deleted_at is null where b.requisition_id = r.id)'
const hasIcd = 'exists (select from requisition_icd x where x.requisition_id = r.id)'
const isComplete = `(r.bill_type_code is not null and ${hasIcd} and (r.bill_type_code not in ${insured} or ${hasPrimary}))`
const openMeasured = `exists (select from requisition_test rt join test te on te.id = rt.test_id
  where rt.requisition_id = r.id and not te.is_calculated and rt.result is null
  and not exists (select from requisition_test_reason x join reason re on re.id = x.reason_id and re.type_code = 'FAIL' where x.requisition_test_id = rt.id))`

export const lifeCycleChecks: Readonly<Record<string, string>> = {
  'client, collaborator, laboratory and event fit each other': `select r.id from requisition r join client c on c.id = r.client_id
    where r.collaborator_id <> c.collaborator_id or not exists (select from client_lab l where l.client_id = c.id and l.lab_id = r.lab_id)`,
  'the ordering physician works for the client': `select r.id from requisition r
    where not exists (select from client_physician cp where cp.id = r.ordering_client_physician_id and cp.client_id = r.client_id and cp.physician_id = r.physician_id)`,
  'a copy goes to a physician of the copied client': `select r.id from requisition r
    where num_nonnulls(r.copy_to_client_id, r.copy_client_physician_id, r.copy_physician_id) not in (0, 3) or (r.copy_to_client_id is not null
      and not exists (select from client_physician cp where cp.id = r.copy_client_physician_id and cp.client_id = r.copy_to_client_id and cp.physician_id = r.copy_physician_id))`,
  'the collection time is in the zone of the client':
    'select r.id from requisition r join client c on c.id = r.client_id where r.collected_zone <> c.zone',
  'nothing was collected after it was received, or in the future': `select r.id from requisition r left join specimen s on s.requisition_id = r.id
    where r.collected_at >= s.received_at or r.collected_at > $1::timestamptz or s.received_at > $1::timestamptz`,
  'accessioned: a test and a received specimen': `select r.id from ${staged} where ordinal >= 20 and (not exists (select from requisition_test t where t.requisition_id = r.id)
    or not exists (select from specimen s where s.requisition_id = r.id))`,
  'accessioned: the specimen came before': `select r.id from requisition r where (select min(received_at) from specimen s where s.requisition_id = r.id)
    > (select min(at) from requisition_status_event e where e.requisition_id = r.id and to_code = 'ACC')`,
  'logged and accessioned: no result yet': `select r.id from ${staged} where ordinal <= 20 and exists (select from requisition_test t where t.requisition_id = r.id and t.reportable_result is not null)`,
  'processing: something is still open': `select r.id from ${staged} where ordinal = 30 and not ${openMeasured}`,
  'resulted: a result or a fail code for every measured test': `select r.id from ${staged} where ordinal >= 40 and ${openMeasured}`,
  'reported: a report with a file': `select r.id from ${staged} where ordinal >= 50 and not exists (select from report p
    join report_version v on v.report_id = p.id and v.version_no = p.current_version_no where p.requisition_id = r.id)`,
  'released: demographic QC passed and a released report': `select r.id from ${staged} where ordinal >= 60 and (not r.is_dem_qc_pass
    or not exists (select from report p where p.requisition_id = r.id and p.lab_qc_status_code = 'RELEASE' and p.release_at is not null))`,
  'released: the decision came before the move': `select r.id from requisition r where (select min(first_release_at) from report p where p.requisition_id = r.id)
    > (select min(at) from requisition_status_event e where e.requisition_id = r.id and to_code = 'RELEASE')`,
  'delivered: every released report is in the ledger': `select r.id from ${staged} join report p on p.requisition_id = r.id and p.lab_qc_status_code = 'RELEASE'
    where ordinal >= 70 and not exists (select from report_delivery d where d.report_id = p.id and d.state = 'DELIVERED')`,
  'not delivered: nothing in the ledger says so': `select r.id from ${staged} where ordinal < 70 and exists (select from report_delivery d where d.requisition_id = r.id and d.state = 'DELIVERED')`,
  'failed: only what is sent can fail, each way in its own words': `select d.requisition_id from report_delivery d
    where (d.state = 'FAILED') <> (d.failure is not null) or (d.failure is not null and (d.transmit_method_code, left(d.failure, 10)) not in
      (('EMAIL', 'Mailbox is'), ('FAX', 'No answer '), ('HL7', 'Connection')))`,
  'blood pressure: systolic above diastolic': 'select requisition_id from patient_history where sbp <= dbp',
  'delivered: guarantor record': `select r.id from ${staged} where ordinal >= 70 and not exists (select from billing b where b.requisition_id = r.id)`,
  'missing billing information: something is missing, and a note says it': `select r.id from requisition r where r.status_code = 'MISSBILL'
    and (${isComplete} or not exists (select from billing_note n where n.requisition_id = r.id and n.note like 'Missing billing information: %'))`,
  'billing codes: bill type, ICD code and primary insurance': `select r.id from ${staged} where ordinal >= 90 and not ${isComplete}`,
  'in a billing batch: one open item in a batch that was not sent': `select r.id from requisition r where r.status_code = 'INBILL' and 1 <> (select count(*) from billing_batch_item i
    join billing_batch b on b.id = i.batch_id where i.requisition_id = r.id and i.is_open and b.send_status_code <> 'SENT')`,
  'billed: in a batch that was sent': `select r.id from requisition r where r.status_code in ('BILL','INVOICE','EOB','INSPAYRECD','PATPAYRECD','NONCOLLECT')
    and not exists (select from billing_batch_item i join billing_batch b on b.id = i.batch_id where i.requisition_id = r.id and not i.is_open and b.send_status_code = 'SENT')`,
  'paid: a payment':
    "select r.id from requisition r where r.status_code in ('INSPAYRECD','PATPAYRECD') and not exists (select from payment p where p.requisition_id = r.id and p.amount > 0)",
  'batches count their requisitions':
    'select b.id from billing_batch b where record_count <> (select count(*) from billing_batch_item i where i.batch_id = b.id) or record_count = 0',
  'the history starts with Logged and ends with the current status': `select r.id from requisition r
    where (select (from_code is null, to_code, at) from requisition_status_event e where e.requisition_id = r.id order by e.id limit 1) is distinct from (true, 'LOG'::text, r.logged_at)
      or (select (to_code, at) from requisition_status_event e where e.requisition_id = r.id order by e.id desc limit 1) is distinct from (r.status_code, r.status_at)`,
  'the history has no gap, runs forward in time and ends before now': `select requisition_id from (select e.*, lag(to_code) over w as before, lag(at) over w as earlier
    from requisition_status_event e window w as (partition by requisition_id order by id)) e where from_code is distinct from before or at < earlier or at > $1::timestamptz`,
  'specimens lie in a freezer of their laboratory': `select l.requisition_id from specimen_location l join requisition r on r.id = l.requisition_id
    join freezer_slot s on s.id = l.slot_id join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id where f.lab_id <> r.lab_id`,
  'issues are closed by the department that reported them': `select i.requisition_id from issue i where i.status_code = 'CLOSED'
    and not exists (select from app_user_department d where d.user_id = i.closed_by and d.department_id = i.reporter_department_id)`,
  'calculated LDL cholesterol is total less HDL less a fifth of triglycerides': `select rt.requisition_id from requisition_test rt join test te on te.id = rt.test_id and te.code = 'LDL'
    cross join lateral (select max(x.result_num) filter (where t.code = 'CHOL') as chol, max(x.result_num) filter (where t.code = 'HDL') as hdl,
      max(x.result_num) filter (where t.code = 'TRIG') as trig from requisition_test x join test t on t.id = x.test_id where x.requisition_id = rt.requisition_id) v
    where rt.result_num is distinct from case when round(v.trig) < 400 then v.chol - v.hdl - v.trig / 5 end
      and rt.reportable_result is distinct from 'Not calculated'`,
  'the text of a numeric result is its number':
    'select requisition_id from requisition_test where result_num is not null and result_num::text <> result',
}

/** Lookup lists with the columns that may hold only their codes. */
export const codeUses: readonly (readonly [string, string])[] = [
  ['REQBILLTYPE', 'select distinct bill_type_code from requisition'],
  ['COLLECTIONMETHOD', 'select distinct collect_code from requisition'],
  ['SPECIMENTYPE', 'select distinct type_code from specimen'],
  ['TEMPERATURETYPE', 'select distinct temperature_code from specimen'],
  ['CONTAINERTYPE', 'select distinct container_code from specimen'],
  ['SPECLOCTYPE', 'select distinct spec_loc_type_code from specimen_location'],
  ['SAMPLESIZE', 'select distinct sample_size_code from specimen_location'],
  ['RACE', 'select distinct race_code from patient'],
  ['ETHNICITY', 'select distinct ethnicity_code from patient'],
  ['FAMHISTT2D', 'select distinct fam_hist_t2d_code from patient_history'],
  ['RELATIONTYPE', 'select distinct relation_type_code from billing'],
  ['PAYMENTTYPE', 'select distinct payment_type_code from payment'],
  ['PAYERTYPE', 'select distinct payer_type_code from payment'],
  ['TRANSMITMETHOD', 'select distinct transmit_method_code from client'],
  ['BILLTYPE', 'select distinct bill_type_code from client'],
  ['CLIENTREQTYPE', 'select distinct req_type_code from client'],
  [
    'PORTALPREF',
    'select distinct portal_pref_code from client union select portal_pref_code from physician union select portal_pref_code from collaborator',
  ],
  ['REPORTNAMEFORMAT', 'select distinct report_name_format_code from collaborator'],
  ['REPORTDELIVERTO', 'select distinct report_deliver_to_code from collaborator'],
  ['IDPRINTOUT', 'select distinct id_printout_code from collaborator'],
  ['PHYSTITLE', 'select distinct title from physician'],
  ['SALESTITLE', 'select distinct title from sales_person'],
  ['DOCTYPE', 'select distinct type_code from document'],
]
