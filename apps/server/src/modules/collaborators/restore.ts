import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { lockAndFindCodeOwner } from '../lookups/queries.ts'
import { findTestsWithRange } from './queries.ts'
import { getRange, rangeExistsMessage, unitFault } from './range-service.ts'
import { getCollaborator, withoutDerived } from './service.ts'

interface RangeRow {
  collaboratorId: number
  testId: number
  unit: string | null
}

const selectRange = (id: number) => sql`
  select collaborator_id as "collaboratorId", test_id as "testId", unit from collaborator_test_range where id = ${id}`

export const deletedCollaboratorKinds: readonly DeletedKind[] = [
  {
    kind: 'collaborator',
    table: 'collaborator',
    isVersioned: true,
    record: sql`select c.name from collaborator c where c.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const holder = await readRow<{ id: number; name: string } | undefined>(
        db,
        sql`select other.id, other.name from collaborator c join collaborator other on lower(other.name) = lower(c.name)
          where c.id = ${id} and other.deleted_at is null`,
      )
      if (holder) throw conflict(`The name ${holder.name} now belongs to the collaborator with ID ${holder.id}`)
      const { alias } = await readRow<{ alias: string }>(db, sql`select alias from collaborator where id = ${id}`)
      const owner = await lockAndFindCodeOwner(db, alias, { collaboratorId: id })
      if (owner) throw conflict(`The alias ${alias} is now in use by a ${owner}`)
    },
    afterRestore: async ({ db }, id) => ({ new: withoutDerived(await getCollaborator(db, id)) }),
  },
  {
    kind: 'collaboratorRange',
    table: 'collaborator_test_range',
    isVersioned: true,
    record: sql`select c.name || ': ' || t.code
      from collaborator_test_range x join test t on t.id = x.test_id join collaborator c on c.id = x.collaborator_id where x.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const { collaboratorId, testId, unit } = await readRow<RangeRow>(db, selectRange(id))
      await lockUndeletedParents(db, { collaborator: collaboratorId })
      const test = (await findTestsWithRange(db, collaboratorId, [testId])).get(testId)
      if (!test) throw conflict('Its test is no longer in the catalogue')
      if (test.rangeId !== null) throw conflict(rangeExistsMessage(test.code))
      const fault = await unitFault(db, collaboratorId, test, unit)
      if (fault) throw conflict(fault)
    },
    afterRestore: async ({ db }, id) => {
      const { collaboratorId } = await readRow<RangeRow>(db, selectRange(id))
      return { new: { collaboratorId, ...(await getRange(db, collaboratorId, id)) } }
    },
  },
]
