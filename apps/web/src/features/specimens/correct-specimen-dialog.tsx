import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type Specimen, specimenForm, specimenLabels, specimenRoutes } from '@lis/contract/specimens.ts'
import { required } from '@lis/contract/validation.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { receivedAt } from './received-now.ts'
import { specimenFields } from './specimen-fields.ts'

const schema = specimenForm.extend({ reason: required(specimenLabels.reason, 1000) })
const fields: readonly FieldDef[] = [
  ...specimenFields,
  { name: 'reason', label: specimenLabels.reason, kind: 'multiline', isRequired: true, isWide: true },
]

interface CorrectSpecimenDialogProps {
  requisition: RequisitionDetail
  specimen: Specimen
  onClose: () => void
}

/** Corrects the data of a receipt, with a reason that is kept in the activity history. */
export const CorrectSpecimenDialog = ({ requisition, specimen, onClose }: CorrectSpecimenDialogProps) => {
  const correct = useSave(specimenRoutes.correct)
  const { specimenTypeCode, temperatureTypeCode, containerTypeCode, tubeCount, dateReceived, version } = specimen
  return (
    <FormDialog
      title="Correct receipt"
      subject={requisitionTitle(requisition)}
      submitLabel="Correct"
      schema={schema}
      fields={fields}
      values={{
        ...{ specimenTypeCode, temperatureTypeCode, containerTypeCode, tubeCount },
        ...receivedAt(new Date(dateReceived), requisition.labTz),
        reason: '',
      }}
      onSubmit={async (body) => {
        const params = { id: requisition.id, specimenId: specimen.id }
        await correct({ params, body, headers: ifMatch(version) })
      }}
      onClose={onClose}
    />
  )
}
