import { type User, userCreate, userUpdate } from '@lis/contract/users.ts'
import { useParams } from 'react-router'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { useSession } from '../../lib/session.ts'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { userCreateFields, userEditFields } from './user-fields.ts'
import { fullUserName, users } from './user-resource.ts'

export const UserCreatePage = () => (
  <ResourceCreatePage resource={users} title="User Information" schema={userCreate} fields={userCreateFields} />
)

/** Users can neither change their own role nor delete their own account. */
export const UserEditPage = () => {
  const isOwn = useSession()?.access.userId === Number(useParams().id)
  return (
    <ResourceEditPage
      resource={users}
      titleOf={fullUserName}
      subjectOf={isOwn ? undefined : fullUserName}
      schema={userUpdate}
      fields={isOwn ? userEditFields.map(withoutOwnRole) : userEditFields}
      notice={roleNotice}
    />
  )
}

const withoutOwnRole = (field: FieldDef): FieldDef =>
  field.name === 'userRoleCode' ? { ...field, isDisabled: true, hint: 'You cannot change your own role' } : field

const roleNotice = (values: Values, user: User) =>
  values.userRoleCode !== user.userRoleCode && (
    <Banner type="warning">
      A new role changes what this person sees and may do. It clears the entity, and saving signs the person out
      everywhere.
    </Banner>
  )
