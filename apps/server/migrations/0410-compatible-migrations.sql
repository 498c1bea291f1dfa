-- Foundation
-- Compatible with the release before.
-- A program starts on a newer database if it does not know only migrations that say, as here, that the release before can work with them.
alter table schema_migration add column is_compatible boolean not null default false;
