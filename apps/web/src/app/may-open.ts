import { can } from '@lis/contract/access/permissions.ts'
import { roleOf } from '@lis/contract/access/roles.ts'
import type { StoredSession } from '../lib/session-store.ts'
import type { AppRoute } from './routes.ts'

/** Whether a user may open a page: by role, and by department where the page names some. */
export const mayOpen = (
  { access, departments }: Pick<AppRoute, 'access' | 'departments'>,
  { access: { userRoleCode }, userDepts }: Pick<StoredSession, 'userDepts'> & { access: { userRoleCode: unknown } },
): boolean => {
  if (access === 'public') return true
  const isMember = departments === undefined || userDepts.some(({ deptCode }) => departments.includes(deptCode))
  return isMember && can(roleOf(userRoleCode), access)
}
