import { maxSmartFilters, type SmartFilter } from '@lis/contract/smart-filters.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents } from '../deleted-records/service.ts'
import { findSmartFilter, hasMaxSmartFilters } from './queries.ts'

const getView = (db: Db, id: number) =>
  db
    .selectFrom('smart_filter as f')
    .select((eb) => [
      'f.user_id as userId',
      'f.smart_name as name',
      'f.smart_screen as screen',
      eb
        .exists(
          eb
            .selectFrom('smart_filter as o')
            .select('o.id')
            .whereRef('o.user_id', '=', 'f.user_id')
            .whereRef('o.smart_screen', '=', 'f.smart_screen')
            .where((other) => other(other.fn('lower', ['o.smart_name']), '=', other.fn('lower', ['f.smart_name'])))
            .where('o.deleted_at', 'is', null),
        )
        .as('isTaken'),
    ])
    .where('f.id', '=', id)
    .executeTakeFirstOrThrow()

/** Restored for the user who saved it; the administrator sees its name but not its filters. */
export const deletedSmartViewKind: DeletedKind = {
  kind: 'smartView',
  table: 'smart_filter',
  isVersioned: true,
  record: sql`select u.first_name || ' ' || u.last_name || ': ' || f.smart_name || ' (' || f.smart_screen || ')'
    from smart_filter f join app_user u on u.id = f.user_id where f.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { userId, name, screen, isTaken } = await getView(db, id)
    await lockUndeletedParents(db, { user: userId })
    if (isTaken) throw conflict(`The person has another view named ${name} on this screen now`)
    if (await hasMaxSmartFilters(db, userId, screen))
      throw conflict(`The person has ${maxSmartFilters} smart views on this screen; one of them must be deleted first`)
  },
  afterRestore: async ({ db }, id) => {
    const { userId } = await getView(db, id)
    // As its owner; the role is only relevant for views of others.
    return { new: (await findSmartFilter(db, { userId, role: 'GST' }, id)) as SmartFilter }
  },
}
