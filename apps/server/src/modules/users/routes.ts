import { can } from '@lis/contract/access/permissions.ts'
import { userRoutes } from '@lis/contract/users.ts'
import { notFound } from '../../platform/http/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { findUser } from './queries.ts'

export const usersModule = implement(userRoutes, {
  one: async ({ db, actor, params }) => {
    // Somebody else's record does not exist for those who may not list users.
    const mayRead = params.id === actor.userId || can(actor.role, 'users.list')
    const found = mayRead ? await findUser(db, params.id) : undefined
    if (!found) throw notFound('User')
    return { data: found, message: '' }
  },
})
