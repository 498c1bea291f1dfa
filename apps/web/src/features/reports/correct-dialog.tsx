import { correctionInput, reportLabels as label, type Report, reportRoutes } from '@lis/contract/reports.ts'
import { useRef, useState } from 'react'
import { z } from 'zod'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { UploadCorrection } from './upload-report.tsx'

const schema = correctionInput.pick({ correctionReason: true }).extend({ how: z.enum(['make', 'upload']) })
const fields: FieldDef[] = [
  { name: 'correctionReason', label: label.correctionReason, kind: 'multiline', isRequired: true, isWide: true },
  {
    name: 'how',
    label: 'The corrected report',
    kind: 'radio',
    isWide: true,
    options: [
      { value: 'make', label: 'Made here from the present results' },
      { value: 'upload', label: 'A file that is uploaded' },
    ],
  },
]

/** A new version with its reason. The old one stays, marked as superseded; once released, the new one goes to everyone who has it. */
export const CorrectDialog = ({ report, onClose }: { report: Report; onClose: () => void }) => {
  const { id, requisitionId, reportOriginalFileName, isMadeHere } = report
  const correct = useSave(reportRoutes.correct)
  const [reason, setReason] = useState<string | null>(null)
  const given = useRef<string | null>(null)
  if (reason !== null)
    return <UploadCorrection requisitionId={requisitionId} reportId={id} reason={reason} onClose={onClose} />
  return (
    <FormDialog
      title={`Correct ${reportOriginalFileName}`}
      submitLabel="Correct"
      schema={schema}
      fields={fields}
      values={{ correctionReason: '', how: isMadeHere === 1 ? 'make' : 'upload' }}
      onSubmit={async ({ correctionReason, how }) => {
        if (how === 'make')
          await correct({ params: { reqID: requisitionId, reportID: id }, body: { correctionReason } })
        else given.current = correctionReason
      }}
      // The upload follows in a window of its own.
      onClose={() => (given.current === null ? onClose() : setReason(given.current))}
    />
  )
}
