import { type Role, roleOf } from '@lis/contract/access/roles.ts'
import type { Scope } from '../db/scope.ts'

/** The signed-in person behind a call. */
export interface Actor {
  userId: number
  userName: string
  /** First and last name as the audit keeps it. */
  name: string
  role: Role
  /** The client, collaborator, physician, sales person or laboratory the account belongs to. */
  entityId: number | null
  departmentIds: readonly number[]
  sessionId: string
  /** Whose rows the person may see; every handle of the call carries it. */
  scope: Scope
  /** The administrator who sees what this person sees and may change nothing. */
  viewer?: Pick<Actor, 'userId' | 'name' | 'role'>
  /** Set when a system calls by itself, with the scopes of its token. */
  apiClient?: { id: number; scopes: readonly string[] }
  /** The message that a partner's system sent, for the history of what it makes or changes. */
  source?: string
}

export const actorName = (user: { first_name: string; last_name: string }) =>
  `${user.first_name} ${user.last_name}`.trim()

export interface ActorRow {
  user_id: number
  user_name: string
  first_name: string
  last_name: string
  role_code: string
  entity_id: number | null
  department_ids: number[]
  scope_ids: number[]
}

/**
 * The columns of an actor for `app_user u`, in one statement, because every call reads them. The scope of a sales person is their clients and
 * those of everyone who reports to them, at any depth; `union` stops at cycles.
 */
export const actorColumns = `u.id as user_id, u.user_name, u.first_name, u.last_name, u.role_code,
  coalesce(u.client_id, u.collaborator_id, u.physician_id, u.sales_person_id, u.lab_id) as entity_id,
  array(select department_id from app_user_department d where d.user_id = u.id) as department_ids,
  case u.role_code when 'CLNT' then array_remove(array[u.client_id], null) when 'COLA' then array_remove(array[u.collaborator_id], null)
    when 'PHYS' then array_remove(array[u.physician_id], null) when 'SLS' then array(
      with recursive team as (
        select id from sales_person where id = u.sales_person_id and deleted_at is null
        union select s.id from sales_person s join team on s.report_to_id = team.id where s.deleted_at is null
      )
      select distinct cs.client_id from client_sales cs join team on team.id = cs.sales_person_id order by 1)
    else '{}' end as scope_ids`

export const actorOf = (row: ActorRow, sessionId: string): Actor => {
  const role = roleOf(row.role_code)
  return {
    userId: row.user_id,
    userName: row.user_name,
    name: actorName(row),
    role,
    entityId: row.entity_id,
    departmentIds: row.department_ids,
    sessionId,
    scope: { role, ids: row.scope_ids },
  }
}
