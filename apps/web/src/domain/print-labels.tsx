import { can } from '@lis/contract/access/permissions.ts'
import { type LabelType, labelRoutes, labelTypes } from '@lis/contract/labels.ts'
import { messages } from '@lis/contract/messages.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { events } from '../lib/events.ts'
import { read } from '../lib/query.ts'
import { useRole } from '../lib/session.ts'
import { useBusy } from '../lib/use-busy.ts'
import { useSave } from '../lib/use-save.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Banner } from '../ui/form/banner.tsx'
import { FieldInput } from '../ui/form/field-input.tsx'
import type { FieldDef } from '../ui/form/field-types.ts'
import { lineIcon } from '../ui/icons.tsx'
import { openFile } from './open-file.ts'
import { requisitionTitle } from './requisition-title.ts'

export const PrinterIcon = lineIcon('M4.5 6V2h7v4M4.5 11.5H2.5V6h11v5.5h-2M4.5 9.5h7V14h-7z')

type Named = Parameters<typeof requisitionTitle>[0]
type Output = 'PDF' | 'PRINTER'

const typeField: FieldDef = {
  name: 'labelType',
  label: 'Labels',
  kind: 'radio',
  options: Object.entries(labelTypes).map(([value, label]) => ({ value, label })),
}
const outputField: FieldDef = {
  name: 'output',
  label: 'Print on',
  kind: 'radio',
  options: [
    { value: 'PRINTER', label: 'Label printer' },
    { value: 'PDF', label: 'This computer (PDF)' },
  ],
}

const countField: FieldDef = {
  name: 'cryoCount',
  label: 'Labels per requisition',
  kind: 'number',
  min: 1,
  hint: 'A requisition with its own number of labels gets that many.',
}

/** Invalid input is named; anything else is a printing error (LIST-239). */
const printFailure = (error: Error) =>
  error instanceof ApiError && error.status < 500 ? error.message : messages.printFailed

interface PrintLabelsDialogProps {
  requisitions: readonly Named[]
  /** Called with whether they were printed, or opened as a file. */
  onDone?: (isPrinted: boolean) => void
  onClose: () => void
}

/** Which labels to print, and where: on the label printer if there is one, otherwise as a PDF. */
export const PrintLabelsDialog = ({ requisitions, onDone, onClose }: PrintLabelsDialogProps) => {
  const id = useId()
  const print = useSave(labelRoutes.print, { failure: 'error', errorMessage: printFailure, isSilent: true })
  const { data: printer } = useQuery(read(labelRoutes.printer))
  const [labelType, setLabelType] = useState<LabelType>('BARCODE')
  const [cryoCount, setCryoCount] = useState<unknown>('1')
  const [chosen, setChosen] = useState<Output | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const [failure, setFailure] = useState<string | null>(null)
  const hasPrinter = printer?.data.isAvailable ?? false
  const output = chosen ?? (hasPrinter ? 'PRINTER' : 'PDF')
  const run = async () => {
    setFailure(null)
    await whileBusy(
      async () => {
        const { data, message } = await print({
          body: {
            reqIds: requisitions.map((requisition) => requisition.id),
            labelType,
            output,
            ...(labelType === 'CRYO' && { cryoCount: Number(cryoCount) }),
          },
        })
        if (data.url === null) events.emit('notice', { type: 'info', message })
        else openFile(data.url)
        onDone?.(data.url === null)
        onClose()
      },
      (error) => {
        // Besides the notice, and until the next try: the user may choose the PDF instead.
        setFailure(printFailure(error as Error))
      },
    )
  }
  const [only] = requisitions
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}-title`} slotProps={{ paper: { sx: { width: 460 } } }}>
      <DialogTitle id={`${id}-title`}>Print labels</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        <p style={{ margin: 0 }}>
          {requisitions.length === 1 && only ? requisitionTitle(only) : `${requisitions.length} requisitions`}
        </p>
        <FieldInput field={typeField} value={labelType} onChange={(value) => setLabelType(value as LabelType)} />
        {labelType === 'CRYO' && <FieldInput field={countField} value={cryoCount} onChange={setCryoCount} />}
        {hasPrinter && (
          <FieldInput field={outputField} value={output} onChange={(value) => setChosen(value as Output)} />
        )}
        {failure !== null && <Banner type="error">{failure}</Banner>}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <ActionButton variant="contained" startIcon={<PrinterIcon />} isBusy={isBusy} disabled={!printer} onClick={run}>
          Print
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}

/** 'Print labels' of one requisition, for users who may. */
export const PrintLabelsButton = ({ requisition }: { requisition: RequisitionDetail }) => {
  const [isOpen, setOpen] = useState(false)
  if (!can(useRole(), 'requisitions.printLabels')) return null
  return (
    <>
      <Button className="print" startIcon={<PrinterIcon />} onClick={() => setOpen(true)}>
        Print labels
      </Button>
      {isOpen && <PrintLabelsDialog requisitions={[requisition]} onClose={() => setOpen(false)} />}
    </>
  )
}
