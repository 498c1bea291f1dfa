import { roles } from '@lis/contract/access/roles.ts'
import { userLabels } from '@lis/contract/users.ts'
import { roleAndEntityFields } from '../../domain/role-entity-fields.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'

const common: FieldDef[] = [
  { name: 'userFirstName', label: userLabels.userFirstName, kind: 'text', isRequired: true },
  { name: 'userLastName', label: userLabels.userLastName, kind: 'text', isRequired: true },
  { name: 'userEmail', label: userLabels.userEmail, kind: 'text', isRequired: true },
  { name: 'userPhone', label: userLabels.userPhone, kind: 'phone', isRequired: true },
  ...roleAndEntityFields(roles, 'users.entity'),
  { name: 'isSubscribed', label: userLabels.isSubscribed, kind: 'singleCheckbox' },
  {
    name: 'deptIds',
    label: userLabels.deptIds,
    kind: 'checkbox',
    lookup: 'depts',
    isRequired: true,
    isWide: true,
  },
]

export const userEditFields: readonly FieldDef[] = common
export const userCreateFields: readonly FieldDef[] = [
  { name: 'userName', label: userLabels.userName, kind: 'input', isRequired: true },
  ...common,
]
