import { can } from '@lis/contract/access/permissions.ts'
import { billingPatientInput, billingPatientLabels as label } from '@lis/contract/billing.ts'
import type { Patient } from '@lis/contract/patients.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatLongDate, formatPhone } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { EditIcon } from '../../ui/icons.tsx'

const fields: readonly FieldDef[] = [
  { name: 'patientAddr1', label: label.patientAddr1, kind: 'text', isRequired: true, isWide: true },
  { name: 'patientAddr2', label: label.patientAddr2, kind: 'text', isWide: true },
  { name: 'patientCity', label: label.patientCity, kind: 'text', isRequired: true },
  { name: 'patientStateId', label: label.patientStateId, kind: 'autocomplete', lookup: 'states', isRequired: true },
  { name: 'patientZip', label: label.patientZip, kind: 'text', isRequired: true },
  { name: 'patientEmail', label: label.patientEmail, kind: 'text', isRequired: true },
  { name: 'patientHomePhone', label: label.patientHomePhone, kind: 'phone' },
  { name: 'patientWorkPhone', label: label.patientWorkPhone, kind: 'phone' },
]

/** The billing address and contact, editable in every status; the patient's identity is on the view tab. */
export const PatientCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  const form = useInlineForm()
  const query = useQuery(read(requisitionEditRoutes.patient, { params: { id: requisition.id } }))
  const save = useSave(requisitionEditRoutes.updatePatient)
  const shown = query.data?.data.patient
  // The patient when the form opened: the requisition may get another patient meanwhile, who must not receive this input.
  const [patient, setPatient] = useState<Patient>()
  if (form.isOpen && patient)
    return (
      <RecordForm
        title="Patient Information"
        submitLabel="Save"
        columns={2}
        schema={billingPatientInput}
        fields={fields}
        values={patient}
        version={patient.version}
        draftKey={`billing-patient-${patient.id}`}
        onCancel={form.close}
        onSubmit={async (body, { version }) => {
          await save({
            params: { id: requisition.id, patientId: patient.id },
            body: { ...body, seenPatientId: patient.id },
            headers: ifMatch(version),
          })
          form.close()
        }}
      />
    )
  return (
    <Card
      title="Patient Information"
      actions={
        can(role, 'billing.editPatient') && (
          <Button
            ref={form.ref}
            startIcon={<EditIcon />}
            disabled={!shown}
            onClick={() => {
              setPatient(shown)
              form.open()
            }}
          >
            Edit
          </Button>
        )
      }
    >
      <Loaded query={query}>{({ data }) => <InfoList items={itemsOf(data.patient)} />}</Loaded>
    </Card>
  )
}

const itemsOf = (patient: Patient): [string, string | null][] => [
  ['Name', [patient.patientFirstName, patient.patientMiddleName, patient.patientLastName].filter(Boolean).join(' ')],
  ['Date of Birth', formatLongDate(patient.patientDob)],
  ['Gender', patient.patientGenderDesc],
  [label.patientAddr1, patient.patientAddr1],
  [label.patientAddr2, patient.patientAddr2],
  [label.patientCity, patient.patientCity],
  [label.patientStateId, patient.patientState],
  [label.patientZip, patient.patientZip],
  [label.patientEmail, patient.patientEmail],
  [label.patientHomePhone, formatPhone(patient.patientHomePhone)],
  [label.patientWorkPhone, formatPhone(patient.patientWorkPhone)],
]
