-- Several drafts of one form side by side: each opening of the form writes its own.
alter table draft add column id text not null default 'first', add column started_at timestamptz not null default now();
update draft set started_at = updated_at;
alter table draft alter column id drop default;
alter table draft drop constraint draft_pkey;
alter table draft add primary key (user_id, form, record_key, id);
