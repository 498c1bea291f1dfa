-- The list calls delivered what one of today's receivers has
-- What went to a practice, a collaborator or a copy that is no longer a receiver is no delivery to the one in its place, here as on Reports/Delivery.
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
left join lateral (select d.delivered_at, d.requested_by, d.transmit_method_code from report_delivery d where d.requisition_id = r.id and d.delivered_at is not null
  and d.party_id = case d.recipient_kind when 'COLA' then r.collaborator_id when 'COPY' then nullif(r.copy_to_client_id, r.client_id) else r.client_id end
  order by d.delivered_at desc, d.id desc limit 1) dl on true
left join lateral (select array_agg(flag_id order by flag_id) as ids from requisition_flag where requisition_id = r.id) fl on true
left join lateral (select array_agg(x.reason_id order by x.reason_id) as ids from requisition_reason x join reason re on re.id = x.reason_id and re.type_code = 'PASS' where x.requisition_id = r.id) rr on true
left join lateral (select count(*)::int as n, array_agg(distinct reporter_department_id order by reporter_department_id) as depts
  from issue where requisition_id = r.id and deleted_at is null and status_code not in ('RESOLVED','CLOSED')) iss on true
left join lateral (select i.company_name from billing b join insurance i on i.billing_id = b.id and i.billing_order = 1 and i.deleted_at is null where b.requisition_id = r.id limit 1) ins on true
where r.deleted_at is null;

-- Who gets the copy is now among what the row says; a status that changes in the same statement must not hide it.
create or replace function requisition_list_touch_moved() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare ids bigint[]; moved bigint[];
begin
  moved := array(select n.id from new_rows n join old_rows o on o.id = n.id
    where n.status_code <> o.status_code
      and (n.client_id, n.collaborator_id, n.physician_id, n.copy_physician_id, n.copy_to_client_id, n.lab_id, n.patient_id, n.event_id, n.collected_at, n.collected_zone, n.logged_at,
           n.bill_type_code, n.is_send_notif, n.is_dem_qc_pass, n.ext_order_id, n.deleted_at)
        is not distinct from
          (o.client_id, o.collaborator_id, o.physician_id, o.copy_physician_id, o.copy_to_client_id, o.lab_id, o.patient_id, o.event_id, o.collected_at, o.collected_zone, o.logged_at,
           o.bill_type_code, o.is_send_notif, o.is_dem_qc_pass, o.ext_order_id, o.deleted_at));
  if cardinality(moved) > 0 then
    perform 1 from requisition_list where requisition_id = any(moved) order by requisition_id for no key update;
    update requisition_list l set status_code = n.status_code, tab_code = st.tab_code
      from new_rows n join requisition_status_type st on st.code = n.status_code where l.requisition_id = n.id and n.id = any(moved);
  end if;
  ids := array(select id from new_rows where id <> all(moved));
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;

-- Only what somebody else has, which is rare: found in one pass through both tables, without looking anything up row by row.
select requisition_list_refresh(array(select distinct d.requisition_id from report_delivery d join requisition r on r.id = d.requisition_id
  where d.delivered_at is not null and d.party_id is distinct from case d.recipient_kind when 'COLA' then r.collaborator_id when 'COPY' then nullif(r.copy_to_client_id, r.client_id) else r.client_id end));
