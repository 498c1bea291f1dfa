import { type Physician, physicianInput, physicianRoutes } from '@lis/contract/physicians.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { physicianFields } from '../../domain/physician-fields.ts'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { DeletePhysicianButton } from './delete-physician-button.tsx'
import { npiNotice } from './npi.tsx'
import { usePhysicianTwins } from './use-physician-twins.tsx'

export const PhysicianEditPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(physicianRoutes.one, { params: { id } }))
  const physician = query.data?.data
  return (
    <RecordPage title="Edit Physician" action={physician && <DeletePhysicianButton physician={physician} />}>
      <Loaded query={query} missing={<MissingRecord list={{ to: '/physicians', label: 'Physicians' }} />}>
        {({ data }) => <EditForm key={data.id} physician={data} />}
      </Loaded>
    </RecordPage>
  )
}

// The clients are added and taken away on the physician's page.
const schema = physicianInput.omit({ clientIds: true, confirmDuplicate: true })

const EditForm = ({ physician: given }: { physician: Physician }) => {
  // What is typed must not change under the hands when the record is read again.
  const [physician] = useState(given)
  const update = useSave(physicianRoutes.update)
  const { saveChecked, question } = usePhysicianTwins()
  const { id, physFirstName, physLastName, version: stored } = physician
  const leave = useBackToRecord(`/physicians/${id}/show`)
  return (
    <>
      <RecordForm
        title={`${physFirstName} ${physLastName}`}
        schema={schema}
        fields={physicianFields}
        values={physician}
        version={stored}
        submitLabel="Update Physician"
        draftKey={`physician:${id}`}
        notice={npiNotice}
        onCancel={() => leave()}
        onSubmit={async (values, { version }) => {
          await saveChecked((confirmDuplicate) =>
            update({ params: { id }, body: { ...values, confirmDuplicate }, headers: ifMatch(version) }),
          )
          leave({ replace: true })
        }}
      />
      {question}
    </>
  )
}
