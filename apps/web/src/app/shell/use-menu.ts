import { useMemo } from 'react'
import { logOut } from '../../lib/api.ts'
import { useRole } from '../../lib/session.ts'
import { type MenuAction, menuFor } from '../menu.ts'
import { routeAt } from '../routes.ts'

/** What menu items without a page do. Notifications join the menu once their window is built. */
export const menuActions: Partial<Record<MenuAction, () => void>> = { logOut }

/** The menu of whoever is signed in. */
export const useMenu = () => {
  const role = useRole()
  return useMemo(
    () =>
      menuFor(role, {
        hasPage: (path) => routeAt(path) !== undefined,
        hasAction: (action) => menuActions[action] !== undefined,
      }),
    [role],
  )
}
