-- Quality control
-- Home counts critical calls and tests out of control.
create trigger home_changed after insert or update on critical_call for each statement execute function home_changed();
create trigger home_changed after insert or update on qc_control for each statement execute function home_changed();
create trigger home_changed after insert or update on qc_plan for each statement execute function home_changed();

alter table csv_load drop constraint csv_load_file_type_code_check;
alter table csv_load add constraint csv_load_file_type_code_check check (file_type_code in ('REQUISITION', 'RESULT', 'CLIENT', 'PHYSICIAN', 'QC'));
