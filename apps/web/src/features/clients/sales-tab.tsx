import { can } from '@lis/contract/access/permissions.ts'
import { type ClientSalesRep, clientRecordRoutes, clientRecordLabels as label } from '@lis/contract/client-records.ts'
import { type Client, clientLabels, clientRoutes } from '@lis/contract/clients.ts'
import { useState } from 'react'
import { formatPhone } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { AddButton } from './add-button.tsx'

const nameOf = ({ salesFirstName, salesMiddleName, salesLastName }: ClientSalesRep) =>
  [salesFirstName, salesMiddleName, salesLastName].filter(Boolean).join(' ')
const hrefOf = ({ id }: ClientSalesRep) => `/sales/${id}/show`

const columns: readonly Column<ClientSalesRep>[] = [
  { key: 'salesRepCode', header: label.salesRepCode, width: 110, cell: ({ salesRepCode }) => salesRepCode },
  {
    key: 'salesName',
    header: label.salesName,
    width: 280,
    card: 'title',
    cell: (rep) => (
      <>
        <strong>{nameOf(rep)}</strong>
        {rep.isPrimary === 1 && <span className="muted"> shown in lists</span>}
      </>
    ),
  },
  { key: 'salesPhone', header: label.salesPhone, width: 160, cell: ({ salesPhone }) => formatPhone(salesPhone) },
]

const fields: readonly FieldDef[] = [
  {
    name: 'salesIds',
    label: clientLabels.salesIds,
    kind: 'lookupMultiSelect',
    lookup: 'sales',
    lookupParams: () => ({ salesTypeCode: 'SLS' }),
    isRequired: true,
  },
]

export const SalesTab = ({ client: { id } }: { client: Client }) => {
  const [isAdding, setAdding] = useState(false)
  const add = useSave(clientRecordRoutes.addSales)
  const mayOpen = can(useRole(), 'sales.read')
  return (
    <>
      <TableCard
        title="Sales Rep."
        itemName="sales rep"
        resource={clientRoutes.list.path}
        route={clientRecordRoutes.sales}
        params={{ id }}
        columns={columns}
        rowName={nameOf}
        rowHref={mayOpen ? hrefOf : undefined}
        removeRoute={clientRecordRoutes.removeSalesReps}
        unlinksFrom="client"
        actions={<AddButton label="Add sales rep" onClick={() => setAdding(true)} />}
        emptyText="Nobody looks after this client."
      />
      {isAdding && (
        <FormDialog
          title="Add sales rep"
          submitLabel="Add"
          schema={clientRecordRoutes.addSales.body}
          fields={fields}
          onSubmit={(body) => add({ params: { id }, body })}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}
