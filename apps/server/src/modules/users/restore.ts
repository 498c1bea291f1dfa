import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, readRow, requireLiving } from '../deleted-records/service.ts'
import { getUser, letSignInAgain, withoutDerived } from './service.ts'

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
  requireRoom: async ({ db }, id) => {
    const { userName, holder, ...entity } = await readRow<UserRow>(
      db,
      sql`select u.user_name as "userName", u.client_id as client, u.collaborator_id as collaborator, u.physician_id as physician,
        u.sales_person_id as "salesPerson", (select o.first_name || ' ' || o.last_name from app_user o
          where o.user_name = u.user_name and o.deleted_at is null) as holder
        from app_user u where u.id = ${id}`,
    )
    await requireLiving(db, entity)
    if (holder) throw conflict(`The Username ${userName} now belongs to ${holder}`)
  },
  /** The sessions ended with the deletion and stay ended. */
  settle: async ({ db, actor, requestId, services }, id) => {
    const user = await getUser(db, id)
    const note = await letSignInAgain({ trx: db, actor, requestId, services }, user)
    return { new: withoutDerived(user), ...(note && { note }) }
  },
}
