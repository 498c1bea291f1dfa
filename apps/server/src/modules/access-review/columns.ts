import { type Permission, permissions } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { userLabels } from '@lis/contract/users.ts'
import { momentCell } from '../../platform/export-cells.ts'
import type { ExportColumn } from '../../platform/exports.ts'

/** Who may see and do what, one account per row. */
export const columnsIn = (homeZone: string): readonly ExportColumn[] => [
  { header: userLabels.userName, field: 'userName' },
  { header: userLabels.userFirstName, field: 'userFirstName' },
  { header: userLabels.userLastName, field: 'userLastName' },
  { header: userLabels.userRoleCode, field: 'userRoleDesc' },
  { header: userLabels.entityName, field: 'entityName' },
  { header: userLabels.userStatusCode, field: 'userStatusDesc' },
  {
    header: userLabels.lastLogonDate,
    field: 'lastLogonDate',
    cell: (value) => (value ? momentCell(String(value), homeZone) : null),
  },
  { header: 'Sees', field: 'userRoleCode', cell: (role, { entityName }) => seenRows(role as Role, entityName) },
  { header: 'May do', field: 'userRoleCode', cell: (role) => permissionsOf(role as Role).join(', ') },
]

const seenRows = (role: Role, entityName: unknown): string => {
  const of = typeof entityName === 'string' ? ` ${entityName}` : ''
  switch (role) {
    case 'ADM':
    case 'MGMT':
    case 'STF':
      return 'every requisition'
    case 'CLNT':
      return `requisitions of client${of}`
    case 'COLA':
      return `requisitions of collaborator${of}`
    case 'PHYS':
      return `requisitions of physician${of}, and copies to them`
    case 'SLS':
      return `requisitions of the clients of${of} and of everyone who reports to them`
    case 'BILL':
      return 'requisitions in a billing batch'
    default:
      return 'nothing'
  }
}

const permissionsOf = (role: Role): Permission[] =>
  (Object.keys(permissions) as Permission[]).filter((name) => (permissions[name] as readonly Role[]).includes(role))
