import { maxSmartFilters, type SmartFilter } from '@lis/contract/smart-filters.ts'
import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { findSmartFilter, hasMaxSmartFilters } from './queries.ts'

interface ViewRow {
  userId: number
  name: string
  screen: string
  isTaken: boolean
}

const select = (id: number) => sql`
  select f.user_id as "userId", f.smart_name as name, f.smart_screen as screen, exists (select from smart_filter o where o.user_id = f.user_id
    and o.smart_screen = f.smart_screen and lower(o.smart_name) = lower(f.smart_name) and o.deleted_at is null) as "isTaken"
  from smart_filter f where f.id = ${id}`

/** It comes back to the person who saved it; who restores it learns its name, not what it filters by. */
export const deletedSmartViewKind: DeletedKind = {
  kind: 'smartView',
  table: 'smart_filter',
  isVersioned: false,
  record: sql`select u.first_name || ' ' || u.last_name || ': ' || f.smart_name || ' (' || f.smart_screen || ')'
    from smart_filter f join app_user u on u.id = f.user_id where f.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { userId, name, screen, isTaken } = await readRow<ViewRow>(db, select(id))
    await lockUndeletedParents(db, { user: userId })
    if (isTaken) throw conflict(`The person has another view named ${name} on this screen now`)
    if (await hasMaxSmartFilters(db, userId, screen))
      throw conflict(`The person has ${maxSmartFilters} smart views on this screen; one of them must be deleted first`)
  },
  afterRestore: async ({ db }, id) => {
    const { userId } = await readRow<ViewRow>(db, select(id))
    return { new: (await findSmartFilter(db, userId, id)) as SmartFilter }
  },
}
