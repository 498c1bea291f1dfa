import { sql } from 'kysely'

/** Delivery `d` went to the client, copy client or collaborator that the requisition has now, even if its name or address has changed. */
export const isToCurrentRecipient = sql`exists (select from requisition r where r.id = d.requisition_id and d.party_id = case d.recipient_kind
  when 'COLA' then r.collaborator_id when 'COPY' then nullif(r.copy_to_client_id, r.client_id) else r.client_id end)`

/** Completed deliveries of the current version of report `p` to its current recipients; one to a former recipient does not count. */
export const currentDeliveries = sql`select d.transmit_method_code, d.requested_by, d.delivered_at from report_delivery d
  where d.report_id = p.id and d.report_version_no = p.current_version_no and d.delivered_at is not null and ${isToCurrentRecipient}`
