-- Where a replaced result came from; null in those that were replaced before.
alter table requisition_test_revision add column instrument_id int references instrument,
  add column instrument_result_id bigint references instrument_result,
  add column reagent text;
