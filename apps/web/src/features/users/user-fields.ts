import { roleTable } from '@lis/contract/access/roles.ts'
import type { LookupName } from '@lis/contract/lookups.ts'
import { entityLabels, entityTypeOf, userLabels } from '@lis/contract/users.ts'
import type { CompositeField, FieldDef, Values } from '../../ui/form/field-types.ts'

type EntityType = keyof typeof entityLabels

const entityLookups: Record<EntityType, LookupName> = {
  CLIENT: 'clients',
  COLLABORATOR: 'collaborators',
  PHYSICIAN: 'physicians',
  SALES: 'sales',
  LAB: 'labs',
}

const typeIn = ({ userRoleCode }: Values) => entityTypeOf(String(userRoleCode))

/** Collaborator 7 is not client 7: in a conflict, role and entity are taken from the same version. */
const roleAndEntity: CompositeField = {
  label: `${userLabels.userRoleCode}, ${userLabels.entityName}`,
  show: (values) => `${values.userRoleCode} ${typeIn(values) ? values.entityId : ''}`,
  shownBy: (values) => [roleField, ...entityFields].filter((field) => !field.isHidden?.(values)),
}

/** Only the picker of the role's entity type is shown; all of them fill `entityId`. */
const entityFields: FieldDef[] = (Object.keys(entityLabels) as EntityType[]).map((type) => ({
  name: 'entityId',
  composite: roleAndEntity,
  label: entityLabels[type],
  kind: type === 'LAB' ? 'select' : 'autocomplete',
  lookup: entityLookups[type],
  isRequired: true,
  visibleTo: 'users.entity',
  isHidden: (values: Values) => typeIn(values) !== type,
}))

const roleOptions = roleTable.map(({ userRoleCode, userRoleDesc }) => ({ value: userRoleCode, label: userRoleDesc }))

const roleField: FieldDef = {
  name: 'userRoleCode',
  label: userLabels.userRoleCode,
  kind: 'select',
  options: roleOptions,
  isRequired: true,
  // Another role has another entity type.
  clears: ['entityId'],
  composite: roleAndEntity,
}

const common: FieldDef[] = [
  { name: 'userFirstName', label: userLabels.userFirstName, kind: 'text', isRequired: true },
  { name: 'userLastName', label: userLabels.userLastName, kind: 'text', isRequired: true },
  { name: 'userEmail', label: userLabels.userEmail, kind: 'text', isRequired: true },
  { name: 'userPhone', label: userLabels.userPhone, kind: 'phone', isRequired: true },
  roleField,
  ...entityFields,
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
