import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'

/** Which requisitions a person may see, as a condition on their list row `l`; every query about requisitions carries it. */
export const visibleRequisitions = ({ scope }: Pick<Actor, 'scope'>): RawBuilder<unknown> => {
  const [first = 0] = scope.ids
  switch (scope.role) {
    case 'ADM':
    case 'MGMT':
    case 'STF':
      return sql`true`
    case 'CLNT':
      return sql`l.client_id = ${first}`
    case 'COLA':
      return sql`l.collaborator_id = ${first}`
    case 'PHYS':
      return sql`(l.physician_id = ${first} or l.copy_physician_id = ${first})`
    case 'SLS':
      return sql`l.client_id = any(${[...scope.ids]}::int[])`
    case 'BILL':
      return sql`exists (select from billing_batch_item i where i.requisition_id = l.requisition_id)`
    default:
      return sql`false`
  }
}
