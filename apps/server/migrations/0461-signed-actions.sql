-- Compatible with the release before.
-- A corrective action is signed when the controls are in and its patients have been looked at.
alter table qc_action add column signed_at timestamptz,
  add column signed_by int references app_user,
  add column signed_by_name text;
