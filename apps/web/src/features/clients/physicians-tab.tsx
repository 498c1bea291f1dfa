import { type ClientPhysician, clientRecordRoutes } from '@lis/contract/client-records.ts'
import { type Client, clientLabels, clientRoutes, clientUpdate } from '@lis/contract/clients.ts'
import { physicianLabels as label, physicianColumnLabels } from '@lis/contract/physicians.ts'
import { useState } from 'react'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { AddButton } from './add-button.tsx'

const columns: readonly Column<ClientPhysician>[] = [
  { key: 'id', header: label.id, width: 72, cell: ({ id }) => id },
  { key: 'first', header: label.physFirstName, width: 150, cell: ({ physFirstName }) => physFirstName },
  {
    key: 'last',
    header: label.physLastName,
    width: 170,
    cell: ({ physLastName }) => <span className="strong">{physLastName}</span>,
  },
  { key: 'title', header: label.physTitle, width: 100, cell: ({ physTitle }) => physTitle },
  { key: 'npi', header: physicianColumnLabels.npiNumber, width: 120, cell: ({ npiNumber }) => npiNumber },
]
const nameOf = ({ physFirstName, physLastName }: ClientPhysician) => `${physFirstName} ${physLastName}`
const hrefOf = ({ id }: ClientPhysician) => `/physicians/${id}/show`
const byId = { field: 'id', order: 'ASC' } as const

const fields: readonly FieldDef[] = [
  { name: 'physIds', label: clientLabels.physIds, kind: 'lookupMultiSelect', lookup: 'physicians', isRequired: true },
]
// Required here; not part of the client form.
const schema = clientUpdate.pick({ physIds: true }).required()

export const PhysiciansTab = ({ client: { id } }: { client: Client }) => {
  const [isAdding, setAdding] = useState(false)
  const update = useSave(clientRoutes.update)
  return (
    <>
      <TableCard
        title="Physicians"
        itemName="physician"
        resource={clientRoutes.list.path}
        route={clientRecordRoutes.physicians}
        params={{ id }}
        sort={byId}
        columns={columns}
        rowName={nameOf}
        rowHref={hrefOf}
        removeRoute={clientRecordRoutes.removePhysicians}
        unlinksFrom="client"
        actions={<AddButton label="Add physician" onClick={() => setAdding(true)} />}
        emptyText="Nobody orders for this client yet."
      />
      {isAdding && (
        <FormDialog
          title="Add physician"
          submitLabel="Add"
          schema={schema}
          fields={fields}
          onSubmit={(body) => update({ params: { id }, body })}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}
