import type { Permission } from '@lis/contract/access/permissions.ts'
import { type Role, roleTable } from '@lis/contract/access/roles.ts'
import type { LookupName } from '@lis/contract/lookups.ts'
import { entityLabels, entityTypeOf, userLabels } from '@lis/contract/users.ts'
import type { CompositeField, FieldDef, Values } from '../ui/form/field-types.ts'

type EntityType = keyof typeof entityLabels

const entityLookups: Record<EntityType, LookupName> = {
  CLIENT: 'clients',
  COLLABORATOR: 'collaborators',
  PHYSICIAN: 'physicians',
  SALES: 'sales',
  LAB: 'labs',
}

const typeIn = ({ userRoleCode }: Values) => entityTypeOf(String(userRoleCode))

/** The role of an account, and the record that its role belongs to; `entityFor` may choose the latter. */
export const roleAndEntityFields = (roles: readonly Role[], entityFor: Permission): FieldDef[] => {
  /** Collaborator 7 is not client 7: in a conflict, role and entity are taken from the same version. */
  const composite: CompositeField = {
    label: `${userLabels.userRoleCode}, ${userLabels.entityName}`,
    show: (values) => `${values.userRoleCode} ${typeIn(values) ? values.entityId : ''}`,
    shownBy: (values) => fields.filter((field) => !field.isHidden?.(values)),
  }
  const options = roleTable
    .filter(({ userRoleCode }) => roles.includes(userRoleCode))
    .map(({ userRoleCode, userRoleDesc }) => ({ value: userRoleCode, label: userRoleDesc }))
  const fields: FieldDef[] = [
    {
      name: 'userRoleCode',
      label: userLabels.userRoleCode,
      kind: 'select',
      options,
      isRequired: true,
      // Another role has another entity type.
      clears: ['entityId'],
      composite,
    },
    // Only the picker of the role's entity type is shown; all of them fill `entityId`.
    ...(Object.keys(entityLabels) as EntityType[]).map(
      (type): FieldDef => ({
        name: 'entityId',
        composite,
        label: entityLabels[type],
        kind: type === 'LAB' ? 'select' : 'autocomplete',
        lookup: entityLookups[type],
        isRequired: true,
        visibleTo: entityFor,
        isHidden: (values: Values) => typeIn(values) !== type,
      }),
    ),
  ]
  return fields
}
