import type { Role } from '@lis/contract/access/roles.ts'
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
}

export const actorName = (user: { first_name: string; last_name: string }) => `${user.first_name} ${user.last_name}`
