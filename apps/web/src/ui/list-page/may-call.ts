import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { Route } from '@lis/contract/kit/route.ts'

/** Whether a role may call a route: controls that the server would refuse are hidden. */
export const mayCall = (role: Role, { access }: Route): boolean =>
  access === 'public' || access === 'signedIn' || can(role, access)
