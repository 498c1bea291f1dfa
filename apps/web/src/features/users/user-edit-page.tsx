import { type User, userRoutes, userUpdate } from '@lis/contract/users.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { useSession } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { DeleteUserButton } from './delete-user-button.tsx'
import { userEditFields } from './user-fields.ts'

export const UserEditPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(userRoutes.one, { params: { id } }))
  const user = query.data?.data
  return (
    <RecordPage title="Edit User" action={user && <DeleteUserButton user={user} />}>
      <Loaded query={query} missing={<MissingRecord list={{ to: '/users', label: 'Users' }} />}>
        {({ data }) => <EditForm key={data.id} user={data} />}
      </Loaded>
    </RecordPage>
  )
}

const EditForm = ({ user: given }: { user: User }) => {
  // What is typed must not change under the hands when the record is read again.
  const [user] = useState(given)
  const update = useSave(userRoutes.update)
  const isOwn = useSession()?.access.userId === user.id
  const leave = useBackToRecord(`/users/${user.id}/show`)
  const fields = isOwn ? userEditFields.map(withoutOwnRole) : userEditFields
  return (
    <RecordForm
      title={`${user.userFirstName} ${user.userLastName} (${user.userName})`}
      schema={userUpdate}
      fields={fields}
      values={user}
      version={user.version}
      submitLabel="Save"
      draftKey={`user:${user.id}`}
      onCancel={() => leave()}
      onSubmit={async (values, { version }) => {
        await update({ params: { id: user.id }, body: values, headers: ifMatch(version) })
        leave({ replace: true })
      }}
      notice={(values) =>
        values.userRoleCode !== user.userRoleCode && (
          <Banner type="warning">
            A new role changes what this person sees and may do. It clears the entity, and saving signs the person out
            everywhere.
          </Banner>
        )
      }
    />
  )
}

/** Nobody changes the own role. */
const withoutOwnRole = (field: FieldDef): FieldDef =>
  field.name === 'userRoleCode' ? { ...field, isDisabled: true, hint: 'You cannot change your own role' } : field
