-- Requisitions
-- Practices that order for themselves in the portal.
alter table client add column is_portal_order boolean not null default false;
-- Ordered before the sample is taken: collected_at is then the time of the order, until somebody enters when it was taken.
alter table requisition add column is_to_collect boolean not null default false;
