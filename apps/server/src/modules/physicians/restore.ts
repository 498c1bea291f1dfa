import { sql } from 'kysely'
import { type DeletedKind, readRow, requireLiving } from '../deleted-records/service.ts'
import { describePairs, type Pair } from './queries.ts'
import { getPhysician, stored } from './service.ts'

export const deletedPhysicianKinds: readonly DeletedKind[] = [
  {
    kind: 'physician',
    table: 'physician',
    isVersioned: true,
    record: sql`select p.first_name || ' ' || p.last_name || ' (NPI ' || p.npi_number || ')' from physician p where p.id = d.id`,
    // Two physicians may bear one number where somebody has said so, and this one was there before.
    requireRoom: async () => undefined,
    settle: async ({ db, actor }, id) => ({ new: stored(await getPhysician(db, actor, id)) }),
  },
  {
    kind: 'clientPhysician',
    table: 'client_physician',
    isVersioned: false,
    record: sql`select c.name || ' (' || c.legacy_client_id || '): ' || p.first_name || ' ' || p.last_name
      from client_physician x join physician p on p.id = x.physician_id join client c on c.id = x.client_id where x.id = d.id`,
    requireRoom: async ({ db }, id) => {
      const { clientId, physId } = await readRow<Pair>(
        db,
        sql`select client_id as "clientId", physician_id as "physId" from client_physician where id = ${id}`,
      )
      await requireLiving(db, { client: clientId, physician: physId })
    },
    settle: async ({ db }, id) => {
      const [pair] = await describePairs(db, [id])
      return { clientId: pair?.clientId as number, new: { ...pair } }
    },
  },
]
