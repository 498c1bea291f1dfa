-- A test that an instrument has a code for is due for quality control on Home as soon as it has the code.

create trigger home_changed after insert or update or delete on instrument_code for each statement execute function home_changed();
