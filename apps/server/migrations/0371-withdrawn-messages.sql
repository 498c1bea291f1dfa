-- Interfaces
-- Settles outgoing messages that are not sent after all. As its owner: whoever withdraws a report need not see the desk.
create function interface_messages_withdrawn(of_outbox bigint[], why text) returns void
  language sql security definer set search_path = public, pg_temp as $$
  update interface_message set state = 'DISMISSED', reason = why, settled_at = clock_timestamp()
  where outbox_message_id = any(of_outbox) and state = 'RETRYING'
$$;
