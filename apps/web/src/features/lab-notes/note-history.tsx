import { type LabNoteHistory, labNoteRoutes } from '@lis/contract/lab-notes.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { LongText } from '../../ui/table/long-text.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

const columns: Column<LabNoteHistory>[] = [
  { key: 'date', header: 'Date', width: 150, cell: (row) => <Timestamp at={row.actionDate} />, card: 'title' },
  { key: 'action', header: 'Action', width: 90, cell: (row) => row.action },
  { key: 'by', header: 'By', width: 130, cell: (row) => row.actionBy },
  { key: 'type', header: 'Type of Note', width: 150, cell: (row) => row.labNoteTypeDesc },
  { key: 'note', header: 'Note', width: 220, cell: (row) => row.note && <LongText>{row.note}</LongText> },
]
const idOf = ({ id }: LabNoteHistory) => String(id)

export const NoteHistory = ({ requisitionId, onClose }: { requisitionId: number; onClose: () => void }) => {
  const query = useQuery(read(labNoteRoutes.histories, { params: { id: requisitionId } }))
  return (
    <Dialog
      open
      onClose={onClose}
      slotProps={{
        paper: { 'aria-label': 'History of lab notes', 'aria-labelledby': undefined, sx: { maxWidth: 900 } },
      }}
    >
      <DialogContent sx={{ padding: '12px !important' }}>
        <CardTable
          title="History"
          columns={columns}
          query={query}
          rowId={idOf}
          rowName={(row) => `${row.action} by ${row.actionBy}`}
          empty="Nothing has happened yet."
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}
