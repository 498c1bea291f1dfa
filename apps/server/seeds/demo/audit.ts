import type { PoolClient } from 'pg'

/**
 * The audit entries of the past: the creation of each record and every status move. Inserted in order of time with the table's trigger
 * enabled, so the hash chains are valid for `npm run audit:verify`.
 */
export const addAuditEntries = async (client: PoolClient) => {
  await client.query(`
    select make_part('audit_entry', month::date)
    from generate_series(date_trunc('month', (select min(created_at) from requisition) at time zone 'utc'), now() at time zone 'utc', '1 month') month`)
  await client.query(`
    insert into audit_entry (entity, entity_id, requisition_id, client_id, action, reason, actor_id, actor_name, at, old_data, new_data)
    select entity, entity_id, requisition_id, client_id, action, reason, actor_id, actor_name, at, old_data, new_data from (
      ${masterData('client', 'e.id', "'legacyClientId', e.legacy_client_id, 'clientName', e.name, 'clientTz', e.zone")}
      union all
      ${masterData('physician', 'null::int', "'physFirstName', e.first_name, 'physLastName', e.last_name, 'npiNumber', e.npi_number")}
      union all
      ${masterData('collaborator', 'null::int', "'colaName', e.name, 'colaAlias', e.alias")}
      union all
      ${masterData('sales_person', 'null::int', "'salesFirstName', e.first_name, 'salesLastName', e.last_name, 'salesRepCode', e.rep_code")}
      union all
      select 'requisition', r.id, r.id, r.client_id, 'CREATE', null, u.id, u.first_name || ' ' || u.last_name, r.created_at, 1, null,
        jsonb_build_object('reqStatusCode', 'LOG', 'patientId', r.patient_id, 'clientId', r.client_id, 'colaId', r.collaborator_id,
          'labId', r.lab_id, 'orderingClientPhysId', r.ordering_client_physician_id, 'eventId', r.event_id, 'extOrderId', r.ext_order_id,
          'dateCollected', r.collected_at)
      from requisition r join app_user u on u.id = r.created_by
      union all
      select 'requisition', r.id, r.id, r.client_id, 'STATUS', s.reason, u.id, coalesce(u.first_name || ' ' || u.last_name, 'Billing run'),
        s.at, 1 + row_number() over (partition by r.id order by s.id),
        jsonb_build_object('reqStatusCode', s.from_code), jsonb_build_object('reqStatusCode', s.to_code)
      from requisition_status_event s join requisition r on r.id = s.requisition_id left join app_user u on u.id = s.actor_id
      where s.from_code is not null
    ) as past (entity, entity_id, requisition_id, client_id, action, reason, actor_id, actor_name, at, step, old_data, new_data)
    order by at, entity, entity_id, step`)
}

/** The administrator entered the master data. */
const masterData = (table: string, clientId: string, fields: string) => `
  select '${table}', e.id::bigint, null::bigint, ${clientId}, 'CREATE', null, u.id, u.first_name || ' ' || u.last_name, e.created_at, 1::bigint,
    null::jsonb, jsonb_build_object(${fields})
  from ${table} e join app_user u on u.user_name = 'admin'`
