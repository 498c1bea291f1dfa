import { sql } from 'kysely'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { findPairs, type Pair } from './queries.ts'
import { auditedFields, getPhysician } from './service.ts'

export const deletedPhysicianKinds: readonly DeletedKind[] = [
  {
    kind: 'physician',
    table: 'physician',
    isVersioned: true,
    record: sql`select p.first_name || ' ' || p.last_name || ' (NPI ' || p.npi_number || ')' from physician p where p.id = d.id`,
    // Two physicians may bear one number where somebody has said so, and this one was there before.
    requireRestorable: async () => undefined,
    afterRestore: async ({ db, actor }, id) => ({ new: auditedFields(await getPhysician(db, actor, id)) }),
  },
  {
    kind: 'clientPhysician',
    table: 'client_physician',
    isVersioned: false,
    record: sql`select c.name || ' (' || c.legacy_client_id || '): ' || p.first_name || ' ' || p.last_name
      from client_physician x join physician p on p.id = x.physician_id join client c on c.id = x.client_id where x.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const { clientId, physId } = await readRow<Pair>(
        db,
        sql`select client_id as "clientId", physician_id as "physId" from client_physician where id = ${id}`,
      )
      await lockUndeletedParents(db, { client: clientId, physician: physId })
    },
    afterRestore: async ({ db }, id) => {
      const [pair] = await findPairs(db, [id])
      return { clientId: pair?.clientId as number, new: { ...pair } }
    },
  },
]
