-- Interfaces
create index webhook_delivery_webhook on webhook_delivery (webhook_id, id);
