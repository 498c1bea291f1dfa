import { useMemo } from 'react'
import { useRole } from '../../lib/session.ts'
import { menuFor } from '../menu.ts'

/** The menu of the signed-in user. */
export const useMenu = () => {
  const role = useRole()
  return useMemo(() => menuFor(role), [role])
}
