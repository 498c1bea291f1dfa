import { collaboratorInput, collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { useNavigate } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { collaboratorFields } from './collaborator-fields.ts'

export const CollaboratorCreatePage = () => {
  const create = useSave(collaboratorRoutes.create)
  const navigate = useNavigate()
  return (
    <RecordPage title="Create Collaborator">
      <RecordForm
        title="Collaborator Information"
        schema={collaboratorInput}
        fields={collaboratorFields}
        submitLabel="Create"
        draftKey="collaborator"
        onCancel={() => navigate('/collaborators')}
        onSubmit={async (body) => {
          const { data } = await create({ body })
          navigate(`/collaborators/${data.id}/show`, { replace: true })
        }}
      />
    </RecordPage>
  )
}
