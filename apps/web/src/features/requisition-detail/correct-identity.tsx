import { formatBirthDate, type Patient } from '@lis/contract/patients.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { identityForm, requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import { useQuery } from '@tanstack/react-query'
import { identityFieldDefs } from '../../domain/patient-fields.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { valuesOfPatient } from '../../domain/suggested-patients.tsx'
import { ApiError, renameErrorFields } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

export const correctIdentityLabel = 'Correct name, birth date or sex'

const isInRecordOnly = /Race|Ethnicity|Ssn/
const fields = identityFieldDefs
  .filter(({ name }) => !isInRecordOnly.test(name))
  .map((field) => (field.name === 'patientGenderCode' ? { ...field, span: 4 } : field))

interface CorrectIdentityDialogProps {
  requisition: RequisitionDetail
  onClose: () => void
}

/** Corrects who the patient is, without the other fields that the edit form requires. */
export const CorrectIdentityDialog = ({ requisition, onClose }: CorrectIdentityDialogProps) => {
  const { id } = requisition
  const patient = useQuery(read(requisitionEditRoutes.patient, { params: { id } })).data?.data.patient
  const save = useSave(requisitionEditRoutes.correctIdentity)
  if (!patient) return null
  return (
    <FormDialog
      title={correctIdentityLabel}
      subject={requisitionTitle(requisition)}
      submitLabel="Save"
      schema={identityForm}
      fields={fields}
      values={valuesOfPatient(patient)}
      version={patient.version}
      onSubmit={async ({ patientDobMonth, patientDobDate, patientDobYear, ...names }, { version }) => {
        const patientDob = formatBirthDate({ patientDobMonth, patientDobDate, patientDobYear })
        await save({
          params: { id, patientId: patient.id },
          body: { ...names, patientDob },
          headers: ifMatch(version),
        }).catch((error) => {
          throw asFormError(error)
        })
      }}
      onClose={onClose}
    />
  )
}

/** The form has the birth date in parts. */
const asFormError = (error: unknown) => {
  if (error instanceof ApiError && error.status === 409 && error.current && !error.isCancelled) {
    const theirs = error.current as Patient
    return new ApiError(error.message, { status: 409, current: { ...theirs, ...valuesOfPatient(theirs) } })
  }
  return renameErrorFields(error, { patientDob: 'patientDobDate' })
}
