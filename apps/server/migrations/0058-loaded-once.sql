-- What a row of a load was, so that the same file can be processed again whatever has been corrected since
-- The process date that went with a result before another took its place; null for those of before, whose test has it.
alter table requisition_test_revision add column process_date timestamptz;
-- Name and birth date of the patient as the row had them, folded like the names of patients; null for what was not loaded, or before.
alter table requisition add column load_patient_key text;
