import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents } from '../deleted-records/service.ts'
import { getUser, restoreSignIn, withoutDerived } from './service.ts'

export const deletedUserKind: DeletedKind = {
  kind: 'user',
  table: 'app_user',
  isVersioned: true,
  record: sql`select u.first_name || ' ' || u.last_name || ' (' || u.user_name || ')' from app_user u where u.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { userName, ...entity } = await db
      .selectFrom('app_user')
      .select(['user_name as userName', 'client_id as client', 'collaborator_id as collaborator'])
      .select(['physician_id as physician', 'sales_person_id as salesPerson'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await lockUndeletedParents(db, entity)
    const owner = await db
      .selectFrom('app_user')
      .select(['first_name', 'last_name'])
      .where('user_name', '=', userName)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (owner) throw conflict(`The Username ${userName} now belongs to ${owner.first_name} ${owner.last_name}`)
  },
  /** The sessions that ended with the deletion stay ended. */
  afterRestore: async ({ db, actor, requestId, services }, id) => {
    const user = await getUser(db, id)
    const note = await restoreSignIn({ trx: db, actor, requestId, services }, user)
    return { new: withoutDerived(user), ...(note && { note }) }
  },
}
