-- A database role for each kind of scope
-- One condition for all kinds names the client, the collaborator and both physicians, and no index holds all of them: to show page 400 of a practice by
-- name, 10,000 rows were read instead of 10,000 index entries (measured at 1,000,000 requisitions: 3 to 17 times slower). With a role for each kind, its
-- policy names what that kind is scoped by, which the index of that kind begins with. lis_app alone, without one of them, sees no requisition.
do $$ declare role_name text; begin
  foreach role_name in array array['lis_client', 'lis_collaborator', 'lis_physician', 'lis_sales', 'lis_billing'] loop
    if not exists (select from pg_roles where rolname = role_name) then execute format('create role %I nologin', role_name); end if;
    if not pg_has_role(role_name, 'lis_app', 'MEMBER') then execute format('grant lis_app to %I', role_name); end if;
    -- Who has made a role is its member, and still may not work as it unless told so.
    begin
      execute format('set local role %I', role_name);
      reset role;
    exception when insufficient_privilege then execute format('grant %I to %I', role_name, current_user);
    end;
  end loop;
exception when insufficient_privilege then
  raise exception 'The database user must be allowed to create roles, or an administrator must run for each of lis_client, lis_collaborator, lis_physician, lis_sales and lis_billing: create role lis_client; grant lis_app to lis_client; grant lis_client to %;', current_user;
end $$;

-- As CASE, because a plain comparison beside that of the query itself counts twice: the planner expected 13 rows of a physician instead of 23,000. The
-- value in a subquery is read once for the query, not for each row.
do $$ declare t text; key text; begin
  foreach t in array array['requisition', 'requisition_list'] loop
    key := case t when 'requisition' then 'id' else 'requisition_id' end;
    execute format('drop policy %I on %I', t || '_scope', t);
    execute format('create policy of_client on %I to lis_client
      using (case when client_id = (select current_setting(''lis.scope'')::int) then true else false end) with check (true)', t);
    execute format('create policy of_collaborator on %I to lis_collaborator
      using (case when collaborator_id = (select current_setting(''lis.scope'')::int) then true else false end) with check (true)', t);
    execute format('create policy of_physician on %I to lis_physician
      using (case when (select current_setting(''lis.scope'')::int) in (physician_id, copy_physician_id) then true else false end) with check (true)', t);
    execute format('create policy of_sales on %I to lis_sales
      using (case when client_id = any ((select string_to_array(current_setting(''lis.scope''), '','')::int[])::int[]) then true else false end) with check (true)', t);
    execute format('create policy of_billing on %1$I to lis_billing
      using (coalesce((select true from billing_batch_item i where i.requisition_id = %1$I.%2$I limit 1), false)) with check (true)', t, key);
  end loop;
end $$;
drop function in_scope(int, int, int, int);

-- '&&' is not leakproof, so behind the wall the index over the flags is of no use; these lead to the few rows of a scope that have any.
create index requisition_list_client_flags on requisition_list (client_id, requisition_id) include (flag_ids) where flag_ids <> '{}';
create index requisition_list_physician_flags on requisition_list (physician_id, requisition_id) include (flag_ids) where flag_ids <> '{}';
create index requisition_list_collaborator_flags on requisition_list (collaborator_id, requisition_id) include (flag_ids) where flag_ids <> '{}';
