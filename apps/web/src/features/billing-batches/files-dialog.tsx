import type { BatchDetail } from '@lis/contract/billing-batches.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useId } from 'react'
import { DocumentsSubTable } from '../../domain/documents/documents-sub-table.tsx'
import { ReleasedReportsSubTable } from '../../domain/released-reports-sub-table.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { Dialog } from '../../ui/dialog.tsx'

/** The requisition's documents and released reports, for billing users, who cannot open its page (DOC-G8). */
export const FilesDialog = ({ row, onClose }: { row: BatchDetail; onClose: () => void }) => {
  const id = useId()
  const { reqId } = row
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} slotProps={{ paper: { sx: { maxWidth: 900 } } }}>
      <DialogTitle id={id}>{requisitionTitle({ ...row, id: reqId })}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        <DocumentsSubTable requisitionId={reqId} />
        <ReleasedReportsSubTable requisitionId={reqId} />
      </DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
