-- The rules by which a result was interpreted
-- A range that is changed holds for what is entered or interpreted afterwards; what was interpreted before is printed with the range, flag and unit of
-- its day. The same few rules judge millions of results, so each stands here once and is never changed. Results of before this have none: the rules
-- of now hold for them.
create table result_rules (
  id int generated always as identity primary key, rules jsonb not null,
  exclude using hash (rules with =)
);
revoke update, delete, truncate on result_rules from lis_app;
-- No foreign key: its check would lock the same few rows for each of many writers at once, and a row there cannot go away.
alter table requisition_test add column rules_id int;
