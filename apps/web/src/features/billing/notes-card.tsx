import { can } from '@lis/contract/access/permissions.ts'
import { type BillNote, billingRoutes, billNoteInput, billNoteLabels as label } from '@lis/contract/billing.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { LongText } from '../../ui/table/long-text.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

const columns: readonly Column<BillNote>[] = [
  { key: 'note', header: label.note, width: 280, card: 'title', cell: ({ note }) => <LongText>{note}</LongText> },
  {
    key: 'billNoteCreateDate',
    header: label.billNoteCreateDate,
    width: 160,
    cell: ({ billNoteCreateDate }) => <Timestamp at={billNoteCreateDate} />,
  },
  {
    key: 'billNoteCreateByName',
    header: label.billNoteCreateByName,
    width: 130,
    cell: ({ billNoteCreateByName }) => billNoteCreateByName,
  },
]
const nameOf = ({ note }: BillNote) => note
const fields: readonly FieldDef[] = [
  { name: 'note', label: label.note, kind: 'multiline', isRequired: true, isWide: true },
]

/** Notes about the bill, newest first; the billing run adds what is missing. */
export const NotesCard = ({ requisitionId }: { requisitionId: number }) => {
  const role = useRole()
  const [isAdding, setAdding] = useState(false)
  const add = useSave(billingRoutes.addNote)
  return (
    <>
      <TableCard
        title="Billing Notes"
        itemName="billing note"
        resource="requisitions"
        route={billingRoutes.notes}
        params={{ id: requisitionId }}
        columns={columns}
        rowName={nameOf}
        removeRoute={billingRoutes.removeNotes}
        actions={
          can(role, 'billingNotes.write') && (
            <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
              Add Note
            </Button>
          )
        }
        emptyText="Nothing has been noted about this bill."
      />
      {isAdding && (
        <FormDialog
          title="Add Note"
          submitLabel="Add"
          schema={billNoteInput}
          fields={fields}
          onSubmit={(body) => add({ params: { id: requisitionId }, body })}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}
