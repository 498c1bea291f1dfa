-- The text of such a pass code is printed on reports as a comment ('Accepted, slightly hemolyzed'); which they are is said by the lookup data.
-- A fail code is always printed, as the reason why there is no result.
alter table reason add column is_comment boolean not null default false;
