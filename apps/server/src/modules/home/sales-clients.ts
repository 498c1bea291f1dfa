import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalid } from '../../platform/errors.ts'
import { isOneOfIds, type ListDefinition } from '../../platform/lists.ts'

/**
 * Silent: no order for twice the usual interval. A client with one order in 90 days has no interval; after 90 days without an order it counts
 * as silent too.
 */
const isSilent = sql`(o.last_at is not null and now() - o.last_at > case
  when o.quarter >= 2 then greatest(2 * interval '90 days' / o.quarter, interval '1 day') when o.quarter = 1 then interval '180 days' else interval '90 days' end)`

/** The clients of a sales person, with their orders; a new client without any is not silent. */
export const salesClientList = ({ scope }: Actor): ListDefinition => ({
  from: sql`client c cross join lateral (
    select (count(*) filter (where l.logged_at > now() - interval '30 days'))::int as volume30,
      (count(*) filter (where l.logged_at <= now() - interval '30 days' and l.logged_at > now() - interval '60 days'))::int as before,
      count(*)::int as quarter,
      coalesce(max(l.logged_at), (select max(e.logged_at) from requisition_list e where e.client_id = c.id)) as last_at
    from requisition_list l where l.client_id = c.id and l.logged_at > now() - interval '90 days') o`,
  where: [sql`c.deleted_at is null`, sql`c.id = any(${[...scope.ids]}::int[])`],
  fields: {
    clientId: sql`c.id`,
    clientName: sql`c.name`,
    volume30: sql`o.volume30`,
    volumeBefore: sql`o.before`,
    lastOrderDate: sql`o.last_at`,
    isSilent: sql`case when ${isSilent} then 1 else 0 end`,
  },
  sort: { clientName: sql`lower(c.name)` },
  filter: {
    clientId: isOneOfIds(sql`c.id`, 'clientId'),
    isSilent: (value) => {
      if (value === '1') return isSilent
      if (value === '0') return sql`not ${isSilent}`
      throw invalid('isSilent', 'isSilent must be 0 or 1')
    },
  },
  defaultOrder: sql`o.volume30 - o.before, lower(c.name)`,
  key: sql`c.id`,
})
