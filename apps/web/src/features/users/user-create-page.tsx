import { userCreate, userRoutes } from '@lis/contract/users.ts'
import { useNavigate } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { userCreateFields } from './user-fields.ts'

export const UserCreatePage = () => {
  const create = useSave(userRoutes.create)
  const navigate = useNavigate()
  return (
    <RecordPage title="Create User">
      <RecordForm
        title="User Information"
        schema={userCreate}
        fields={userCreateFields}
        submitLabel="Create"
        draftKey="user"
        onCancel={() => navigate('/users')}
        onSubmit={async (values) => {
          const { data } = await create({ body: values })
          navigate(`/users/${data.id}/show`, { replace: true })
        }}
      />
    </RecordPage>
  )
}
