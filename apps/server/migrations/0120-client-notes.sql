-- The note about a client is the laboratory's own; the client's users read it only where somebody has said so.
alter table client add column is_note_visible boolean not null default false;
