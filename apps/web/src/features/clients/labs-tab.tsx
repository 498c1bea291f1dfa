import { type ClientLab, clientRecordRoutes, clientRecordLabels as label } from '@lis/contract/client-records.ts'
import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { useState } from 'react'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { AddButton } from './add-button.tsx'

const columns: readonly Column<ClientLab>[] = [
  { key: 'labCode', header: label.labCode, width: 120, cell: ({ labCode }) => labCode },
  {
    key: 'labName',
    header: label.labName,
    width: 400,
    card: 'title',
    cell: ({ labName }) => <strong>{labName}</strong>,
  },
]
const nameOf = ({ labName }: ClientLab) => labName

const fields: readonly FieldDef[] = [
  { name: 'labIds', label: 'Labs', kind: 'lookupMultiSelect', lookup: 'labs', isRequired: true },
]

/** The laboratories that perform the client's tests. */
export const LabsTab = ({ client: { id } }: { client: Client }) => {
  const [isAdding, setAdding] = useState(false)
  const add = useSave(clientRecordRoutes.addLabs)
  return (
    <>
      <TableCard
        title="Labs"
        itemName="lab"
        resource={clientRoutes.list.path}
        route={clientRecordRoutes.labs}
        params={{ id }}
        columns={columns}
        rowName={nameOf}
        removeRoute={clientRecordRoutes.removeLabs}
        unlinksFrom="client"
        actions={<AddButton label="Add lab" onClick={() => setAdding(true)} />}
        emptyText="No laboratory yet; a requisition needs one of its client."
      />
      {isAdding && (
        <FormDialog
          title="Add lab"
          submitLabel="Add"
          schema={clientRecordRoutes.addLabs.body}
          fields={fields}
          onSubmit={(body) => add({ params: { id }, body })}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}
