-- Quality control
-- Home counts results that wait for review, and the page of review counts those of a day.
create trigger home_changed after insert or update on instrument_result for each statement execute function home_changed();
create index on instrument_result (received_at);
