-- Compatible with the release before.
-- Two people who edit the columns of an instrument's files at once must not overwrite each other.
alter table instrument_link add column file_columns_version int not null default 1;
