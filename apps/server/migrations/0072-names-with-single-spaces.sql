-- Names of patients have one space between their words
-- New ones are stored so. One of before could not be found by what is typed today, and whoever mended its address would have renamed it,
-- which holds reports and is refused once results are there. Of every sign that a form takes for a space.
create function pg_temp.single_spaced(text) returns text language sql immutable
  return regexp_replace($1, '[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+', ' ', 'g');
update patient set last_name = pg_temp.single_spaced(last_name), first_name = pg_temp.single_spaced(first_name), middle_name = pg_temp.single_spaced(middle_name)
where (last_name, first_name, middle_name)
  is distinct from (pg_temp.single_spaced(last_name), pg_temp.single_spaced(first_name), pg_temp.single_spaced(middle_name));
update requisition set load_patient_key = pg_temp.single_spaced(load_patient_key) where load_patient_key <> pg_temp.single_spaced(load_patient_key);
drop function pg_temp.single_spaced(text);
