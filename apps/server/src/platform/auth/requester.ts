import { canAll, type Permission } from '@lis/contract/access/permissions.ts'
import type { Pool } from '../db/pool.ts'
import { forbidden } from '../errors.ts'
import { type Actor, type ActorRow, actorColumns, actorOf } from './actor.ts'

/**
 * The user who requested a job, as they are when it runs. Throws when the account has been closed since, or its role no longer allows the
 * work. The job sees the rows that this user sees.
 */
export const requireRequester = async (
  { system }: { system: Pool },
  userId: number | null,
  ...needed: readonly [Permission, ...Permission[]]
): Promise<Actor> => {
  const { rows } = await system.query<ActorRow>(
    `select ${actorColumns} from app_user u where u.id = $1 and u.status_code = 'ACT' and u.deleted_at is null`,
    [userId],
  )
  const [user] = rows
  if (!user) throw forbidden('The person who asked for this can no longer sign in')
  const actor = actorOf(user, '')
  if (!canAll(actor.role, needed)) throw forbidden('The person who asked for this is no longer allowed to do it')
  return actor
}
