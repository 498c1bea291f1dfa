import { sql } from 'kysely'

/** The receiver of a row `d` of the ledger still stands in its place, whatever its name and address are by now. */
export const isToCurrentRecipient = sql`exists (select from requisition r where r.id = d.requisition_id and d.party_id = case d.recipient_kind
  when 'COLA' then r.collaborator_id when 'COPY' then nullif(r.copy_to_client_id, r.client_id) else r.client_id end)`

/** The present version of report `p` with whoever is to have it today. What a former receiver has is of no use to the one in its place. */
export const currentDeliveries = sql`select d.transmit_method_code, d.requested_by, d.delivered_at from report_delivery d
  where d.report_id = p.id and d.report_version_no = p.current_version_no and d.delivered_at is not null and ${isToCurrentRecipient}`
