-- How many requisitions show a patient, whoever they belong to: a person with a scope of their own must be asked also about those they do not see.
create function patient_requisition_count(of_patient bigint) returns int language sql stable security definer set search_path = public, pg_temp
  return (select count(*)::int from requisition r where r.patient_id = of_patient and r.deleted_at is null);
