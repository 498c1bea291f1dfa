import { messages } from '@lis/contract/messages.ts'
import { collectedParts, combineCollected, withCollectedCheck } from '@lis/contract/requisitions/collected.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import Button from '@mui/material/Button'
import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { collectedFieldDefs } from '../../domain/patient-fields.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { ApiError, renameErrorFields } from '../../lib/api-error.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

const newSample = 'The new sample'
const schema = z.discriminatedUnion(
  'sample',
  [
    z.object({ sample: z.literal('later') }),
    withCollectedCheck(z.object({ sample: z.literal('collected'), ...collectedParts })),
  ],
  { error: messages.required(newSample) },
)

const fieldsFor = (zone: string): readonly FieldDef[] => [
  {
    name: 'sample',
    label: newSample,
    kind: 'radio',
    isRequired: true,
    isWide: true,
    options: [
      { value: 'collected', label: 'Has been collected' },
      { value: 'later', label: 'Is collected later' },
    ],
  },
  ...collectedFieldDefs(zone, 4).map((field) => ({
    ...field,
    isHidden: (values: Values) => values.sample !== 'collected' || (field.isHidden?.(values) ?? false),
  })),
]

/** Creates a copy of this order, after asking when its sample was collected. */
export const DuplicateButton = ({ requisition }: { requisition: RequisitionDetail }) => {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>Duplicate This Requisition</Button>
      {isAsking && <DuplicateDialog requisition={requisition} onClose={() => setAsking(false)} />}
    </>
  )
}

const DuplicateDialog = ({ requisition, onClose }: { requisition: RequisitionDetail; onClose: () => void }) => {
  const { id, clientTz } = requisition
  const copy = useSave(requisitionEditRoutes.copy)
  const navigate = useNavigate()
  const fields = useMemo(() => fieldsFor(clientTz), [clientTz])
  return (
    <FormDialog
      title={`Duplicate requisition #${id}?`}
      subject={requisitionTitle(requisition)}
      submitLabel="Duplicate"
      columns={3}
      schema={schema}
      fields={fields}
      values={{ timeCollectedAmPm: 'am' }}
      onSubmit={async (values) => {
        const body = values.sample === 'collected' ? { dateCollected: instantOf(values, clientTz) } : {}
        const { data } = await copy({ params: { id }, body }).catch((error) => {
          throw renameErrorFields(error, { dateCollected: 'dateCollectedDate' })
        })
        navigate(`/requisitions/${data.id}/show`)
      }}
      onClose={onClose}
    >
      <p style={{ color: 'var(--text-3)' }}>
        Patient, order, history, insurances and tests are copied; specimens, results, documents and the times of the
        collection are not. Of a sample that is collected later, please enter the collection in the copy then.
      </p>
    </FormDialog>
  )
}

const instantOf = (parts: Parameters<typeof combineCollected>[0], zone: string): string => {
  const combined = combineCollected(parts, zone)
  if ('instant' in combined) return combined.instant
  throw new ApiError(combined.error, { status: 400, errors: [{ field: 'dateCollectedDate', message: combined.error }] })
}
