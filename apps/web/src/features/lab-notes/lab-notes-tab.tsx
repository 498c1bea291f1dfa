import { can } from '@lis/contract/access/permissions.ts'
import { type LabNote, labNoteLabels as label, labNoteInput, labNoteRoutes } from '@lis/contract/lab-notes.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { SideColumns } from '../../ui/side-columns.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { LongText } from '../../ui/table/long-text.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { NoteHistory } from './note-history.tsx'

const fields: FieldDef[] = [
  { name: 'labNoteTypeId', label: label.labNoteTypeId, kind: 'select', lookup: 'labNoteTypes', isRequired: true },
  { name: 'note', label: label.note, kind: 'multiline', isWide: true },
]
const columns: Column<LabNote>[] = [
  { key: 'type', header: label.labNoteTypeId, width: 180, cell: (row) => row.labNoteTypeDesc, card: 'title' },
  { key: 'note', header: label.note, width: 360, cell: (row) => row.note && <LongText>{row.note}</LongText> },
  { key: 'date', header: label.labNoteCreateDate, width: 150, cell: (row) => <Timestamp at={row.labNoteCreateDate} /> },
  { key: 'by', header: label.createByName, width: 140, cell: (row) => row.createByName },
]
const idOf = ({ id }: LabNote) => String(id)
const nameOf = ({ labNoteTypeDesc }: LabNote) => labNoteTypeDesc

/** The laboratory's notes about the quality of this order. */
export const LabNotesTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id } = requisition
  const mayWrite = can(useRole(), 'labNotes.write')
  const query = useQuery(read(labNoteRoutes.list, { params: { id } }))
  const create = useSave(labNoteRoutes.create)
  const [isHistory, setHistory] = useState(false)
  return (
    <SideColumns className={mayWrite ? undefined : 'alone'}>
      <CardTable
        title="Lab Notes"
        actions={<Button onClick={() => setHistory(true)}>History</Button>}
        columns={columns}
        query={query}
        rowId={idOf}
        rowName={nameOf}
        empty="No note has been taken."
      />
      {mayWrite && (
        <Card title="Add Lab Note">
          <RecordForm
            schema={labNoteInput}
            fields={fields}
            columns={1}
            submitLabel="Add"
            draftKey={`lab-note:${id}`}
            resetsAfterSave
            onSubmit={(body) => create({ params: { id }, body })}
          />
        </Card>
      )}
      {isHistory && <NoteHistory requisitionId={id} onClose={() => setHistory(false)} />}
    </SideColumns>
  )
}
