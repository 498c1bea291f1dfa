-- Interfaces
-- An open desk reads again when a message has changed, whoever changed it, and Home when one waits for a person or no longer does. A message
-- that has only arrived announces nothing: it is worked at once, and an announcement would make the answers of all partners wait in turn.
create function interface_message_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('lis_events', '{"topic":"interfaces","data":{}}');
  if new.state in ('HELD', 'FAILED') or (tg_op = 'UPDATE' and old.state in ('HELD', 'FAILED')) then
    perform pg_notify('lis_events', '{"topic":"home","data":{}}');
  end if;
  return null;
end $$;
create trigger interface_message_made after insert on interface_message
  for each row when (new.state <> 'RECEIVED') execute function interface_message_changed();
create trigger interface_message_changed after update of state, reason on interface_message
  for each row when ((old.state, old.reason) is distinct from (new.state, new.reason)) execute function interface_message_changed();
