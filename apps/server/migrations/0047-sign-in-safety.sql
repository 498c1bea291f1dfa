-- Signing in: a new authenticator app waits for its first code, and codes do not wait behind reports

-- The secret of a new app counts from its first right code on; until then the one before it goes on working.
alter table identity_user add column totp_pending_secret bytea;
-- Whoever opened 'Use another authenticator app' and left it again was locked out: the secret that worked is lost, so codes come by SMS.
update identity_user set mfa_preference = 'SMS' where mfa_preference = 'TOTP' and totp_verified_at is null;
update identity_user set totp_pending_secret = totp_secret, totp_secret = null, totp_last_step = null where totp_verified_at is null;

-- When it was opened; unknown for those before, which then do not count against the limit on reset mails.
alter table identity_challenge add column created_at timestamptz;
alter table identity_challenge alter column created_at set default now();

-- Codes and reset links run out: they do not wait behind reports, and are not sent when it is too late.
alter table outbox_message add column expires_at timestamptz;
create index on outbox_message (channel, next_attempt_at) where expires_at is not null and state in ('QUEUED','FAILED','SENDING');

-- Replies that show a whole social security number, or open a session, were kept in clear for a repeat of the call.
delete from idempotency_key where route like '%/patients/:patientId/ssn' or route like '%/login';
