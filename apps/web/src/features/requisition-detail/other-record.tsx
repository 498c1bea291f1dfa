import { can } from '@lis/contract/access/permissions.ts'
import { patientLabels } from '@lis/contract/patients.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import type { RequisitionPatient } from '@lis/contract/requisitions/edit.ts'
import { canEditPatient, isStatusCode } from '@lis/contract/requisitions/status.ts'
import { Link } from 'react-router'
import { BeforeAfter, identityValue } from '../../domain/before-after.tsx'
import { useRole } from '../../lib/session.ts'
import { PatientNote } from './patient-note.tsx'

const fields = ['patientFirstName', 'patientMiddleName', 'patientLastName', 'patientDob'] as const

interface OtherRecordProps {
  requisition: RequisitionDetail
  record: RequisitionPatient
}

/** Says that the patient's record has changed since the requisition was released, and what it says now. */
export const OtherRecord = ({ requisition, record: { kept, patient } }: OtherRecordProps) => {
  const role = useRole()
  if (!kept) return null
  const { id, reqStatusCode: code } = requisition
  return (
    <PatientNote
      label="The record has changed"
      actions={
        can(role, 'requisitionTabs.billing') && <Link to={`/requisitions/${id}/show/billing`}>Patient’s record</Link>
      }
    >
      <p>
        The patient’s record has changed since this requisition was released. The requisition keeps what it said.
        {isStatusCode(code) && canEditPatient(role, code) && ' Edit and save it here to use the record.'}
      </p>
      <BeforeAfter
        headers={['This requisition', 'Record']}
        rows={fields
          .filter((name) => kept[name] !== patient[name])
          .map((name) => ({
            label: patientLabels[name],
            before: identityValue(name, kept[name]),
            after: identityValue(name, patient[name]),
          }))}
      />
    </PatientNote>
  )
}
