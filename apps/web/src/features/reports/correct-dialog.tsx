import { deliveryRoutes } from '@lis/contract/deliveries.ts'
import { correctionInput, reportLabels as label, type Report, reportRoutes } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { z } from 'zod'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
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

interface CorrectDialogProps {
  requisition: RequisitionDetail
  report: Report
  onClose: () => void
}

/**
 * A new version with its reason. The old one stays, marked as superseded; once released, the new one is sent to all recipients of the old
 * one.
 */
export const CorrectDialog = ({ requisition, report, onClose }: CorrectDialogProps) => {
  const { id, reportOriginalFileName, isMadeHere, version } = report
  const correct = useSave(reportRoutes.correct)
  const [reason, setReason] = useState<string | null>(null)
  const given = useRef<string | null>(null)
  if (reason !== null)
    return <UploadCorrection requisition={requisition} report={report} reason={reason} onClose={onClose} />
  return (
    <FormDialog
      title={`Correct ${reportOriginalFileName}`}
      subject={requisitionTitle(requisition)}
      submitLabel="Correct"
      schema={schema}
      fields={fields}
      values={{ correctionReason: '', how: isMadeHere === 1 ? 'make' : 'upload' }}
      onSubmit={async ({ correctionReason, how }) => {
        if (how === 'make')
          await correct({ params: { reqID: requisition.id, reportID: id }, body: { correctionReason, version } })
        else given.current = correctionReason
      }}
      // The upload follows in its own dialog.
      onClose={() => (given.current === null ? onClose() : setReason(given.current))}
    >
      <Receivers report={report} />
    </FormDialog>
  )
}

const List = styled('div')({
  color: 'var(--text-2)',
  '& ul': { margin: '4px 0 0', paddingLeft: 18, color: 'var(--text-strong)', overflowWrap: 'anywhere' },
})

/** All recipients, or planned recipients, of the wrong report. */
const Receivers = ({ report }: { report: Report }) => {
  const { data } = useQuery(readList(deliveryRoutes.ledger, { id: report.requisitionId }, allRows))
  if (!data) return null
  const sent = data.data.filter(({ reportId }) => reportId === report.id)
  const receivers = sent.filter(({ isReceiver }) => isReceiver === 1)
  const former = sent.filter(({ isReceiver, sentDate }) => isReceiver === 0 && sentDate !== null)
  if (receivers.length + former.length === 0) return <List>Nobody has been sent this report yet.</List>
  return (
    <>
      {receivers.length > 0 && (
        <List>
          Once it is released, the correction goes to everyone who was sent this report:
          <Names names={receivers.map((row) => `${row.recipientName ?? row.recipient} (${row.transmitMethodDesc})`)} />
        </List>
      )}
      {former.length > 0 && (
        <List>
          Not sent to those who have this report and are no longer receivers; an issue reminds you to tell them:
          <Names
            names={former.map((row) =>
              `${row.recipientName ?? ''} ${row.recipient} (${row.transmitMethodDesc})`.trim(),
            )}
          />
        </List>
      )}
    </>
  )
}

const Names = ({ names }: { names: readonly string[] }) => (
  <ul>
    {[...new Set(names)].map((name) => (
      <li key={name}>{name}</li>
    ))}
  </ul>
)
