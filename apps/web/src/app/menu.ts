import { can, type Permission } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import {
  BellIcon,
  ClientsIcon,
  CollaboratorsIcon,
  type Icon,
  LogOutIcon,
  PhysiciansIcon,
  ReportsIcon,
  RequisitionsIcon,
  SalesIcon,
  UploadIcon,
  UserIcon,
  UsersIcon,
} from '../ui/icons.tsx'
import { PlusIcon } from '../ui/table/table-icons.tsx'

/** What an item without an address does. */
export type MenuAction = 'notifications' | 'logOut'
type MenuPlace = 'main' | 'more' | 'bottom'

export interface MenuItem {
  label: string
  place: MenuPlace
  permission: Permission
  icon?: Icon
  /** An item has either an address or an action. */
  to?: string
  action?: MenuAction
}

/** All menu items in order; permissions decide who sees which. */
export const menuItems: readonly MenuItem[] = [
  {
    place: 'main',
    label: 'Collaborators',
    to: '/collaborators',
    icon: CollaboratorsIcon,
    permission: 'menu.collaborators',
  },
  { place: 'main', label: 'Clients', to: '/clients', icon: ClientsIcon, permission: 'menu.clients' },
  { place: 'main', label: 'Physicians', to: '/physicians', icon: PhysiciansIcon, permission: 'menu.physicians' },
  { place: 'main', label: 'Sales', to: '/sales', icon: SalesIcon, permission: 'menu.sales' },
  {
    place: 'main',
    label: 'Requisitions',
    to: '/requisitions',
    icon: RequisitionsIcon,
    permission: 'menu.requisitions',
  },
  {
    place: 'main',
    label: 'Add Requisition',
    to: '/requisitions/create',
    icon: PlusIcon,
    permission: 'menu.addRequisition',
  },
  {
    place: 'main',
    label: 'Billed Requisitions',
    to: '/requisitions',
    icon: RequisitionsIcon,
    permission: 'menu.billedRequisitions',
  },
  { place: 'main', label: 'Reports', to: '/reports', icon: ReportsIcon, permission: 'menu.reports' },
  { place: 'main', label: 'Users', to: '/users', icon: UsersIcon, permission: 'menu.users' },
  {
    place: 'main',
    label: 'Test Reports Upload',
    to: '/test-reports-upload',
    icon: UploadIcon,
    permission: 'menu.testReportsUpload',
  },
  { place: 'more', label: 'Freezer Reverse Lookup', to: '/freezer-specs', permission: 'menu.freezer' },
  { place: 'more', label: 'Batch CSV Upload', to: '/batch-csv-upload', permission: 'menu.batchCsv' },
  { place: 'more', label: 'Laboratories', to: '/labs', permission: 'labs.read' },
  { place: 'more', label: 'Late Deliveries', to: '/deliveries', permission: 'reports.deliver' },
  { place: 'bottom', label: 'User Profile', to: '/user-profile', icon: UserIcon, permission: 'menu.userProfile' },
  {
    place: 'bottom',
    label: 'Notifications',
    action: 'notifications',
    icon: BellIcon,
    permission: 'menu.notifications',
  },
  { place: 'bottom', label: 'Log-out', action: 'logOut', icon: LogOutIcon, permission: 'menu.logout' },
]

interface Available {
  hasPage: (path: string) => boolean
  hasAction: (action: MenuAction) => boolean
}

/** The items that a role may use. */
export const menuFor = (role: Role, { hasPage, hasAction }: Available): MenuItem[] =>
  menuItems.filter(
    ({ permission, to, action }) =>
      can(role, permission) && (to === undefined || hasPage(to)) && (action === undefined || hasAction(action)),
  )
