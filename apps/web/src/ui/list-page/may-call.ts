import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { Route } from '@lis/contract/kit/route.ts'

/** Whether the server would answer this role: a control that it would refuse is not shown. */
export const mayCall = (role: Role, { access }: Route): boolean =>
  access === 'public' || access === 'signedIn' || can(role, access)
