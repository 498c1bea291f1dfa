-- Foundation
-- Compatible with the release before.
-- What Home compares today with: the days before, and the counts of pinned views at midnight.

create table turnaround_day (
  day date not null,
  stage_code text not null,
  count int not null,
  within_target int not null,
  p50_hours numeric(10, 1),
  p90_hours numeric(10, 1),
  primary key (day, stage_code)
);
comment on table turnaround_day is 'How long the stages took that requisitions left on a day that is over, in the zone of the laboratory.';

create table pinned_view_count (
  user_id int not null references app_user,
  smart_filter_id int not null references smart_filter,
  version int not null,  -- of the view: after a change its count means something else
  count int not null,
  counted_at timestamptz not null,
  primary key (user_id, smart_filter_id)
);
comment on table pinned_view_count is 'The number of rows of a pinned view at the first count of the day, in the scope of its user.';
create index on pinned_view_count (smart_filter_id);
