import { type Client, clientInput, clientRoutes, zoneMissing } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { clientFields } from '../../domain/client-fields.ts'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { DeleteClientButton } from './delete-client-button.tsx'
import { useClientTwins } from './use-client-twins.tsx'

export const ClientEditPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(clientRoutes.one, { params: { id } }))
  const client = query.data?.data
  return (
    <RecordPage title="Edit Client" action={client && <DeleteClientButton client={client} />}>
      <Loaded query={query} missing={<MissingRecord list={{ to: '/clients', label: 'Clients' }} />}>
        {({ data }) => <EditForm key={data.id} client={data} />}
      </Loaded>
    </RecordPage>
  )
}

const EditForm = ({ client: given }: { client: Client }) => {
  // What is typed must not change under the hands when the record is read again.
  const [client] = useState(given)
  const update = useSave(clientRoutes.update)
  const { saveChecked, question } = useClientTwins()
  const { id, clientName, version: stored } = client
  const leave = useBackToRecord(`/clients/${id}/show`)
  return (
    <>
      <RecordForm
        title={clientName}
        schema={clientInput}
        fields={clientFields}
        values={client}
        version={stored}
        submitLabel="Save"
        draftKey={`client:${id}`}
        notice={({ clientTz }) =>
          clientTz === zoneMissing && <Banner type="warning">{messages.clientTimezoneTooltip}</Banner>
        }
        onCancel={() => leave()}
        onSubmit={async (body, { version }) => {
          await saveChecked((confirmDuplicate) =>
            update({ params: { id }, body: { ...body, confirmDuplicate }, headers: ifMatch(version) }),
          )
          leave({ replace: true })
        }}
      />
      {question}
    </>
  )
}
