import { can, type Permission } from '@lis/contract/access/permissions.ts'
import { roleOf } from '@lis/contract/access/roles.ts'
import type { Pool } from '../db/pool.ts'
import { forbidden } from '../http/errors.ts'
import { type Actor, actorName } from './actor.ts'
import { scopeIds } from './sessions.ts'

interface Asker {
  user_name: string
  first_name: string
  last_name: string
  role_code: string
  entity_id: number | null
  department_ids: number[]
}

/**
 * The person who asked for a job, as they are when it runs: an account that was closed meanwhile, or whose role no longer allows the
 * work, ends it; what a person sees is what the job sees.
 */
export const requireAsker = async (
  { system }: { system: Pool },
  userId: number | null,
  permission: Permission,
): Promise<Actor> => {
  const { rows } = await system.query<Asker>(
    `select user_name, first_name, last_name, role_code, coalesce(client_id, collaborator_id, physician_id, sales_person_id, lab_id) as entity_id,
       array(select department_id from app_user_department d where d.user_id = u.id) as department_ids
     from app_user u where id = $1 and status_code = 'ACT' and deleted_at is null`,
    [userId],
  )
  const user = rows[0]
  if (userId === null || !user) throw forbidden('The person who asked for this can no longer sign in')
  const role = roleOf(user.role_code)
  if (!can(role, permission)) throw forbidden('The person who asked for this is no longer allowed to do it')
  return {
    userId,
    userName: user.user_name,
    name: actorName(user),
    role,
    entityId: user.entity_id,
    departmentIds: user.department_ids,
    sessionId: '',
    scope: { role, ids: await scopeIds(system, role, user.entity_id) },
  }
}
