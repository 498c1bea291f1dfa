import { useMemo } from 'react'
import { useRole } from '../../lib/session.ts'
import { menuFor } from '../menu.ts'
import { routeAt } from '../routes.ts'

/** The menu of the signed-in user. */
export const useMenu = () => {
  const role = useRole()
  return useMemo(() => menuFor(role, { hasPage: (path) => routeAt(path) !== undefined, hasAction: () => true }), [role])
}
