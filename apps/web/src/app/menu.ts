import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { BellIcon, LogOutIcon } from '../ui/icons.tsx'
import { appRoutes, type PageMenuItem } from './routes.ts'

/** What an item without an address does. */
export type MenuAction = 'notifications' | 'logOut'

export interface MenuItem extends PageMenuItem {
  /** An item has either an address or an action. */
  to?: string
  action?: MenuAction
}

/** All menu items in order, those of pages as the table of pages has them; permissions decide who sees which. */
export const menuItems: readonly MenuItem[] = [
  ...appRoutes.flatMap(({ path, menu = [] }) => menu.map((item) => ({ to: path, ...item }))),
  {
    place: 'bottom',
    label: 'Notifications',
    action: 'notifications',
    icon: BellIcon,
    permission: 'menu.notifications',
  },
  { place: 'bottom', label: 'Log-out', action: 'logOut', icon: LogOutIcon, permission: 'menu.logout' },
]

/** The items that a role may use. */
export const menuFor = (role: Role): MenuItem[] => menuItems.filter(({ permission }) => can(role, permission))
