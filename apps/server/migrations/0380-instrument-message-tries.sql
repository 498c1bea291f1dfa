-- A message that could not be read because of a fault is tried again until it is read.

alter table instrument_message add column next_try_at timestamptz;  -- after a fault
