import { type Lab, labInput, labLabels, labRoutes } from '@lis/contract/labs.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'

export const LabEditPage = () => (
  <RecordPage title="Edit Laboratory" parent={{ to: '/labs', label: 'Laboratories' }}>
    <Loaded
      query={useQuery(read(labRoutes.one, { params: { id: Number(useParams().id) }, query: {} }))}
      missing={<MissingRecord list={{ to: '/labs', label: 'Laboratories' }} />}
    >
      {({ data }) => <LabForm key={data.id} lab={data} />}
    </Loaded>
  </RecordPage>
)

/** Accreditations have their card on the page of the laboratory. */
const schema = labInput.omit({ accreditations: true, isSignatureRequired: true })

const fields: readonly FieldDef[] = [
  { name: 'labName', label: labLabels.labName, kind: 'text', isRequired: true },
  { name: 'cliaNumber', label: labLabels.cliaNumber, kind: 'text', hint: 'Two digits, D and seven digits: 20D2104417' },
  {
    name: 'directorName',
    label: labLabels.directorName,
    kind: 'text',
    hint: 'As printed on reports: name and degrees',
  },
  { name: 'labTz', label: labLabels.labTz, kind: 'text', isRequired: true, hint: 'Such as America/New_York' },
  { name: 'labAddr1', label: labLabels.labAddr1, kind: 'text' },
  { name: 'labAddr2', label: labLabels.labAddr2, kind: 'text' },
  {
    name: 'labCountryId',
    label: labLabels.labCountryId,
    kind: 'autocomplete',
    lookup: 'countries',
    clears: ['labStateId'],
  },
  {
    name: 'labStateId',
    label: labLabels.labStateId,
    kind: 'autocomplete',
    lookup: 'countryStates',
    lookupParams: ({ labCountryId }) => (labCountryId ? { id: Number(labCountryId) } : null),
  },
  { name: 'labCity', label: labLabels.labCity, kind: 'text' },
  { name: 'labZip', label: labLabels.labZip, kind: 'text' },
  { name: 'labPhone', label: labLabels.labPhone, kind: 'phone' },
]

const LabForm = (props: { lab: Lab }) => {
  // The form must not change when the record is read again.
  const [lab] = useState(props.lab)
  const update = useSave(labRoutes.update)
  const leave = useBackToRecord(`/labs/${lab.id}/show`)
  return (
    <RecordForm
      title={lab.labName}
      schema={schema}
      fields={fields}
      values={lab}
      version={lab.version}
      submitLabel="Save"
      draftKey={`lab:${lab.id}`}
      onCancel={() => leave()}
      onSubmit={async (body, { version }) => {
        await update({ params: { id: lab.id }, body, headers: ifMatch(version) })
        leave({ replace: true })
      }}
    />
  )
}
