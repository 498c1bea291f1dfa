import { sql } from 'kysely'
import { type DeletedKind, lockUndeletedParents } from '../deleted-records/service.ts'
import { findPairs } from './queries.ts'
import { auditedFields, getPhysician } from './service.ts'

export const deletedPhysicianKinds: readonly DeletedKind[] = [
  {
    kind: 'physician',
    table: 'physician',
    isVersioned: true,
    record: sql`select p.first_name || ' ' || p.last_name || ' (NPI ' || p.npi_number || ')' from physician p where p.id = d.id`,
    // Two physicians may have one NPI once a user has confirmed it, and this one was there before.
    afterRestore: async ({ db, actor }, id) => ({ new: auditedFields(await getPhysician(db, actor, id)) }),
  },
  {
    kind: 'clientPhysician',
    table: 'client_physician',
    isVersioned: false,
    record: sql`select c.name || ' (' || c.legacy_client_id || '): ' || p.first_name || ' ' || p.last_name
      from client_physician x join physician p on p.id = x.physician_id join client c on c.id = x.client_id where x.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const pair = await db
        .selectFrom('client_physician')
        .select(['client_id as client', 'physician_id as physician'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      await lockUndeletedParents(db, pair)
    },
    afterRestore: async ({ db }, id) => {
      const [pair] = await findPairs(db, [id])
      return { clientId: pair?.clientId as number, new: { ...pair } }
    },
  },
]
