-- Foundation

create trigger home_changed after insert or update or delete on smart_filter_choice for each statement execute function home_changed();
