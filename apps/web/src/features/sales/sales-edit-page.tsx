import { type SalesPerson, salesInput, salesRoutes } from '@lis/contract/sales.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { salesFields } from './sales-fields.ts'

export const SalesEditPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(salesRoutes.one, { params: { id } }))
  return (
    <RecordPage title="Edit Sales Person">
      <Loaded query={query} missing={<MissingRecord list={{ to: '/sales', label: 'Sales' }} />}>
        {({ data }) => <EditForm key={data.id} person={data} />}
      </Loaded>
    </RecordPage>
  )
}

const EditForm = ({ person: given }: { person: SalesPerson }) => {
  // What is typed must not change under the hands when the record is read again.
  const [person] = useState(given)
  const update = useSave(salesRoutes.update)
  const leave = useBackToRecord(`/sales/${person.id}/show`)
  return (
    <RecordForm
      title={`${person.salesFirstName} ${person.salesLastName}`}
      schema={salesInput}
      fields={salesFields}
      values={person}
      version={person.version}
      submitLabel="Save"
      draftKey={`sales:${person.id}`}
      onCancel={() => leave()}
      onSubmit={async (values, { version }) => {
        await update({ params: { id: person.id }, body: values, headers: ifMatch(version) })
        leave({ replace: true })
      }}
    />
  )
}
