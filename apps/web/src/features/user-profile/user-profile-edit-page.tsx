import { profileInput, type User, userLabels, userRoutes } from '@lis/contract/users.ts'
import { useState } from 'react'
import { sessionStore } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded, RecordPage } from '../../ui/form/record-page.tsx'
import { useOwnRecord } from './profile-query.ts'

const fields: readonly FieldDef[] = [
  { name: 'userFirstName', label: userLabels.userFirstName, kind: 'text', isRequired: true },
  { name: 'userLastName', label: userLabels.userLastName, kind: 'text', isRequired: true },
]

export const UserProfileEditPage = () => (
  <RecordPage title="Edit User Profile" parent={{ to: '/user-profile', label: 'User Profile' }}>
    <Loaded query={useOwnRecord()}>{({ data }) => <ProfileForm user={data} />}</Loaded>
  </RecordPage>
)

const ProfileForm = ({ user: given }: { user: User }) => {
  // The form must not change when the record is read again.
  const [user] = useState(given)
  const leave = useBackToRecord('/user-profile')
  const update = useSave(userRoutes.updateProfile)
  return (
    <RecordForm
      title="User Information"
      schema={profileInput}
      fields={fields}
      values={user}
      version={user.version}
      columns={2}
      submitLabel="Save"
      draftKey={`profile:${user.id}`}
      onCancel={() => leave()}
      onSubmit={async (values, { version }) => {
        const { data } = await update({ params: { userId: user.id }, body: values, headers: ifMatch(version) })
        rename(data)
        leave({ replace: true })
      }}
    />
  )
}

/** The name is also stored with the session, for all tabs. */
const rename = ({ userFirstName, userLastName }: User) => {
  const session = sessionStore.get()
  if (session) sessionStore.set({ ...session, access: { ...session.access, userFirstName, userLastName } })
}
