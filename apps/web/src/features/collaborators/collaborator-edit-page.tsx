import { type Collaborator, collaboratorInput, collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { collaboratorFields } from './collaborator-fields.ts'
import { DeleteCollaboratorButton } from './delete-collaborator-button.tsx'

export const CollaboratorEditPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(collaboratorRoutes.one, { params: { id } }))
  const collaborator = query.data?.data
  return (
    <RecordPage
      title="Edit Collaborator"
      action={collaborator && <DeleteCollaboratorButton collaborator={collaborator} />}
    >
      <Loaded query={query} missing={<MissingRecord list={{ to: '/collaborators', label: 'Collaborators' }} />}>
        {({ data }) => <EditForm key={data.id} collaborator={data} />}
      </Loaded>
    </RecordPage>
  )
}

const EditForm = ({ collaborator: given }: { collaborator: Collaborator }) => {
  // What is typed must not change under the hands when the record is read again.
  const [collaborator] = useState(given)
  const update = useSave(collaboratorRoutes.update)
  const { id, colaName, version: stored } = collaborator
  const leave = useBackToRecord(`/collaborators/${id}/show`)
  return (
    <RecordForm
      title={colaName}
      schema={collaboratorInput}
      fields={collaboratorFields}
      values={collaborator}
      version={stored}
      submitLabel="Save"
      draftKey={`collaborator:${id}`}
      onCancel={() => leave()}
      onSubmit={async (body, { version }) => {
        await update({ params: { id }, body, headers: ifMatch(version) })
        leave({ replace: true })
      }}
    />
  )
}
