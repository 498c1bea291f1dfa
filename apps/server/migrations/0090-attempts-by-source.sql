-- Wrong passwords and codes are counted per name and source (an address, a known device, a reset link), so that nobody can lock out
-- somebody else. What was counted before stands under '', which counts all addresses together.
alter table identity_lock add column source text not null default '';
alter table identity_lock drop constraint identity_lock_pkey, add primary key (user_name, source);

-- Browsers that have signed in to an account before, by a hash of their cookie. Being known opens nothing: it only keeps a count of its own.
create table identity_device (
  sub uuid not null references identity_user, device_hash bytea not null, last_used_at timestamptz not null default now(), primary key (sub, device_hash)
);
