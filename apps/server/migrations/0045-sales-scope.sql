-- The clients of a sales person are looked up, not compared one after the other
-- With 400 clients each row of a scope was compared with 200 of them on average: a flag among 1,000,000 requisitions took 0.2 s to count.
do $$ declare t text; begin
  foreach t in array array['requisition', 'requisition_list'] loop
    execute format('alter policy of_sales on %I using (case when client_id in (
      select unnest(string_to_array(current_setting(''lis.scope''), '','')::int[])) then true else false end)', t);
  end loop;
end $$;
