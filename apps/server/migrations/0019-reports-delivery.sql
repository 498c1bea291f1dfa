-- Reports and their delivery
-- What was true when a version was made (people and results): a correction is compared with it, and says 'changed from … to …'.
alter table report_version add column content jsonb, add column is_made_here boolean not null default false;
alter table report_event add column detail text;
-- The ledger keeps apart what the specification's three states do not: handed over (sent), acknowledged by the other side (confirmed), looked at (opened).
alter table report_delivery
  add column recipient_kind text not null default 'CLIENT' check (recipient_kind in ('CLIENT','COLA','COPY')), add column recipient_name text,
  add column sha256 bytea,                  -- of the very bytes that were handed over
  add column sent_at timestamptz, add column confirmed_at timestamptz, add column opened_at timestamptz,
  add column answer text,                   -- what the other side said
  add column is_correction boolean not null default false, add column resend_of_id bigint references report_delivery;
-- Asked for twice, sent once: while one is on its way there is no second to the same place.
create unique index report_delivery_open on report_delivery (report_id, report_version_no, transmit_method_code, recipient) where state = 'PENDING';
create index report_delivery_late on report_delivery (requested_at) where state <> 'DELIVERED';
create index on report_delivery (report_id, report_version_no);
