-- A report file that does not prove whose it is is kept only by a person's decision: what did not agree, and why it was kept.
alter table report_version add column guard_finding text, add column guard_reason text;
alter table report_version add constraint report_version_guard_decided check ((guard_finding is null) = (guard_reason is null));
