import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { getUser, restoreSignIn, withoutDerived } from './service.ts'

interface UserRow {
  userName: string
  client: number | null
  collaborator: number | null
  physician: number | null
  salesPerson: number | null
  holder: string | null
}

export const deletedUserKind: DeletedKind = {
  kind: 'user',
  table: 'app_user',
  isVersioned: true,
  record: sql`select u.first_name || ' ' || u.last_name || ' (' || u.user_name || ')' from app_user u where u.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { userName, holder, ...entity } = await readRow<UserRow>(
      db,
      sql`select u.user_name as "userName", u.client_id as client, u.collaborator_id as collaborator, u.physician_id as physician,
        u.sales_person_id as "salesPerson", (select o.first_name || ' ' || o.last_name from app_user o
          where o.user_name = u.user_name and o.deleted_at is null) as holder
        from app_user u where u.id = ${id}`,
    )
    await lockUndeletedParents(db, entity)
    if (holder) throw conflict(`The Username ${userName} now belongs to ${holder}`)
  },
  /** The sessions ended with the deletion and stay ended. */
  afterRestore: async ({ db, actor, requestId, services }, id) => {
    const user = await getUser(db, id)
    const note = await restoreSignIn({ trx: db, actor, requestId, services }, user)
    return { new: withoutDerived(user), ...(note && { note }) }
  },
}
