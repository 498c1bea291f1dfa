-- Reports
-- Home of practices, sales and billing.
create table home_review (
  user_id int not null references app_user,
  requisition_id bigint not null references requisition,
  reviewed_at timestamptz not null default now(),
  primary key (user_id, requisition_id)
);
comment on table home_review is 'When a user marked the released results of a requisition as reviewed; a later release makes them new again.';

-- What was released lately in each scope, for the first time and again.
create index requisition_list_client_released on requisition_list (client_id, released_at) where released_at is not null;
create index requisition_list_physician_released on requisition_list (physician_id, released_at) where released_at is not null;
create index requisition_list_collaborator_released on requisition_list (collaborator_id, released_at) where released_at is not null;
create index report_released_again on report (release_at) include (requisition_id) where first_release_at is not null and deleted_at is null;
-- How much a client orders.
create index requisition_list_client_logged on requisition_list (client_id, logged_at);

-- Money by day: what was billed and what was paid. As with requisition_count, writers insert deltas, which one job folds into the sums.
create table money_by_day (
  day date not null,
  currency_code char(3) not null,
  billed numeric(14,2) not null,
  received numeric(14,2) not null,
  primary key (day, currency_code)
);
comment on table money_by_day is 'Charges billed and payments received on a day, in one currency.';
revoke insert, update, delete on money_by_day from lis_app;

create table money_by_day_delta (
  day date not null,
  currency_code char(3) not null,
  billed numeric(14,2) not null,
  received numeric(14,2) not null
);
comment on table money_by_day_delta is 'A change of money_by_day that is not folded in yet.';
revoke insert, update, delete on money_by_day_delta from lis_app;

-- A charge is frozen when its batch is sent, and counts for that day.
create function money_of_charges() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into money_by_day_delta select current_date, currency_code, sum(amount), 0 from new_rows group by 2;
  else
    insert into money_by_day_delta select current_date, currency_code, -sum(amount), 0 from old_rows group by 2;
  end if;
  return null;
end $$;
create trigger money_ins after insert on billing_charge referencing new table as new_rows
  for each statement execute function money_of_charges();
create trigger money_del after delete on billing_charge referencing old table as old_rows
  for each statement execute function money_of_charges();

create function money_of_payments() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    insert into money_by_day_delta
    select payment_date, currency_code, 0, -sum(amount) from old_rows where deleted_at is null group by 1, 2;
  end if;
  insert into money_by_day_delta
  select payment_date, currency_code, 0, sum(amount) from new_rows where deleted_at is null group by 1, 2;
  return null;
end $$;
create trigger money_ins after insert on payment referencing new table as new_rows
  for each statement execute function money_of_payments();
create trigger money_upd after update on payment referencing old table as old_rows new table as new_rows
  for each statement execute function money_of_payments();

create function money_fold() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(hashtext('money_fold')) then return; end if;
  with gone as (delete from money_by_day_delta returning *)
  insert into money_by_day as t
  select day, currency_code, sum(billed), sum(received) from gone group by 1, 2 order by 1, 2
  on conflict (day, currency_code) do update set billed = t.billed + excluded.billed, received = t.received + excluded.received;
end $$;

-- What was there before the triggers.
create function money_fill() returns void language sql security definer set search_path = public, pg_temp as $$
  insert into money_by_day_delta
  select b.bill_send_at::date, c.currency_code, sum(c.amount), 0
  from billing_charge c
  join billing_batch b on b.id = c.batch_id
  where b.bill_send_at is not null
  group by 1, 2
  union all
  select payment_date, currency_code, 0, sum(amount) from payment where deleted_at is null group by 1, 2;
$$;
revoke execute on function money_fill() from public;
select money_fill();
select money_fold();

-- Payments and issues change Home, too, and need not change the list.
create trigger home_changed after insert or update on payment for each statement execute function home_changed();
