import { useMemo } from 'react'
import { useRole } from '../../lib/session.ts'
import { menuFor } from '../menu.ts'
import { useMenuCounts } from './use-menu-counts.ts'

/** The menu of the signed-in user; ordering only where the practice may order. */
export const useMenu = () => {
  const role = useRole()
  const mayOrder = useMenuCounts()?.mayOrder === 1
  return useMemo(() => menuFor(role).filter(({ to }) => to !== '/order' || mayOrder), [role, mayOrder])
}
