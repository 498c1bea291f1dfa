import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents } from '../deleted-records/service.ts'
import { lockAndFindCodeOwner } from '../lookups/queries.ts'
import { findTestsWithRange } from './queries.ts'
import { getRange, rangeExistsMessage, unitFault } from './range-service.ts'
import { getCollaborator, withoutDerived } from './service.ts'

const getRangeRow = (db: Db, id: number) =>
  db
    .selectFrom('collaborator_test_range')
    .select(['collaborator_id as collaboratorId', 'test_id as testId', 'unit'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

export const deletedCollaboratorKinds: readonly DeletedKind[] = [
  {
    kind: 'collaborator',
    table: 'collaborator',
    isVersioned: true,
    record: sql`select c.name from collaborator c where c.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const { name, alias } = await db
        .selectFrom('collaborator')
        .select(['name', 'alias'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const other = await db
        .selectFrom('collaborator')
        .select(['id', 'name'])
        .where((eb) => eb(eb.fn<string>('lower', ['name']), '=', sql<string>`lower(${name})`))
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      if (other) throw conflict(`The name ${other.name} now belongs to the collaborator with ID ${other.id}`)
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
      const { collaboratorId, testId, unit } = await getRangeRow(db, id)
      await lockUndeletedParents(db, { collaborator: collaboratorId })
      const test = (await findTestsWithRange(db, collaboratorId, [testId])).get(testId)
      if (!test) throw conflict('Its test is no longer in the catalogue')
      if (test.rangeId !== null) throw conflict(rangeExistsMessage(test.code))
      const fault = await unitFault(db, collaboratorId, test, unit)
      if (fault) throw conflict(fault)
    },
    afterRestore: async ({ db }, id) => {
      const { collaboratorId } = await getRangeRow(db, id)
      return { new: { collaboratorId, ...(await getRange(db, collaboratorId, id)) } }
    },
  },
]
