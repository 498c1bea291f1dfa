import { type Actor, actorName } from '../../platform/auth/actor.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Services } from '../../platform/services.ts'

/** The person on whose word a job works. Only super admins start these jobs, and they see every row. */
export const actorOf = async ({ databases }: Pick<Services, 'databases'>, userId: number | null): Promise<Actor> => {
  const user = await databases(systemScope)
    .selectFrom('app_user')
    .select(['id', 'user_name', 'first_name', 'last_name', 'role_code'])
    .where('id', '=', userId ?? 0)
    .executeTakeFirst()
  if (!user) throw new AppError('notFound', 'The person who asked for this no longer exists')
  return {
    userId: user.id,
    userName: user.user_name,
    name: actorName(user),
    role: 'STF',
    entityId: null,
    departmentIds: [],
    sessionId: '',
    scope: { role: 'STF', ids: [] },
  }
}
