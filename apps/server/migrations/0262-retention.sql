-- Specimens
create table retention_rule (
  lab_id int not null references lab,
  spec_loc_type_code text not null,
  days int not null check (days between 1 and 36500),
  primary key (lab_id, spec_loc_type_code)
);
comment on table retention_rule is 'How long a laboratory keeps samples of a type before they may be discarded.';
