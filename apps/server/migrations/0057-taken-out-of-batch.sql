-- What was taken out of a batch is out of the sight of billing users
-- The item stays, with the reason; only the rows of such items change, which are few.
create or replace view requisition_list_source as
select r.id as requisition_id, r.status_code, st.tab_code, r.client_id, r.collaborator_id, r.physician_id, r.copy_physician_id, r.lab_id, r.patient_id, r.event_id,
  sp.id as sales_person_id, p.name_key collate "C" as patient_key, sort_key(ph.last_name || ', ' || ph.first_name) collate "C" as physician_key, sort_key(c.name) collate "C" as client_key,
  coalesce(sp.rep_code, '') collate "C" as sales_rep_code, p.dob as patient_dob, p.gender_code, r.collected_at, r.collected_zone, r.logged_at, s.received_at, rp.reported_at, rp.released_at,
  dl.delivered_at, dl.requested_by as delivered_by, dl.transmit_method_code as delivery_method_code, coalesce(t.codes, '') collate "C" as test_codes, r.bill_type_code, ins.company_name as insurance_company,
  coalesce(fl.ids, '{}') as flag_ids, coalesce(rr.ids, '{}') as pass_reason_ids, coalesce(iss.n, 0) as open_issue_count, coalesce(iss.depts, '{}') as issue_department_ids,
  coalesce(rp.n > 0 and t.pending > 0, false) as is_partial_report, coalesce(rp.released > 0 and rp.released < rp.n, false) as is_partial_release,
  coalesce(rp.released > 0, false) as is_downloadable, r.is_send_notif, r.is_dem_qc_pass,
  exists (select from billing_batch_item i where i.requisition_id = r.id and i.left_out is null) as is_batched
from requisition r
join requisition_status_type st on st.code = r.status_code
join patient p on p.id = r.patient_id join client c on c.id = r.client_id join physician ph on ph.id = r.physician_id
left join client_sales cs on cs.client_id = c.id and cs.is_primary left join sales_person sp on sp.id = cs.sales_person_id
left join lateral (select string_agg(te.code, ',' order by te.code) as codes, count(*) filter (where rt.result is null and not te.is_calculated)::int as pending
  from requisition_test rt join test te on te.id = rt.test_id where rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest) t on true
left join lateral (select min(received_at) as received_at from specimen where requisition_id = r.id and deleted_at is null) s on true
left join lateral (select count(*)::int as n, (count(*) filter (where lab_qc_status_code = 'RELEASE'))::int as released, min(created_at) as reported_at, min(coalesce(first_release_at, release_at)) as released_at
  from report where requisition_id = r.id and deleted_at is null) rp on true
left join lateral (select delivered_at, requested_by, transmit_method_code from report_delivery where requisition_id = r.id and delivered_at is not null order by delivered_at desc, id desc limit 1) dl on true
left join lateral (select array_agg(flag_id order by flag_id) as ids from requisition_flag where requisition_id = r.id) fl on true
left join lateral (select array_agg(x.reason_id order by x.reason_id) as ids from requisition_reason x join reason re on re.id = x.reason_id and re.type_code = 'PASS' where x.requisition_id = r.id) rr on true
left join lateral (select count(*)::int as n, array_agg(distinct reporter_department_id order by reporter_department_id) as depts
  from issue where requisition_id = r.id and deleted_at is null and status_code not in ('RESOLVED','CLOSED')) iss on true
left join lateral (select i.company_name from billing b join insurance i on i.billing_id = b.id and i.billing_order = 1 and i.deleted_at is null where b.requisition_id = r.id limit 1) ins on true
where r.deleted_at is null;

alter policy of_billing on requisition
  using (coalesce((select true from billing_batch_item i where i.requisition_id = requisition.id and i.left_out is null limit 1), false));

-- Sending a batch changes all its items; only those that are taken out change what the list says.
create function requisition_list_touch_left_out() returns trigger language plpgsql as $$
declare ids bigint[];
begin
  ids := array(select distinct n.requisition_id from new_rows n join old_rows o using (batch_id, requisition_id) where n.left_out is distinct from o.left_out);
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_upd after update on billing_batch_item referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_left_out();

select requisition_list_refresh(array(select distinct requisition_id from billing_batch_item where left_out is not null));
