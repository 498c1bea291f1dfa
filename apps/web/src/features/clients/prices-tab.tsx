import {
  type ClientPrice,
  clientRecordRoutes,
  defaultCurrency,
  priceLabels as label,
  priceInput,
} from '@lis/contract/client-records.ts'
import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { useMemo, useState } from 'react'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { EditIcon, MoreIcon } from '../../ui/icons.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { AddButton } from './add-button.tsx'
import { RowButton } from './row-button.tsx'

const columnsFor = (onEdit: (price: ClientPrice) => void): readonly Column<ClientPrice>[] => [
  { key: 'testCode', header: label.testId, width: 110, cell: ({ testCode }) => testCode },
  {
    key: 'testDesc',
    header: label.testDesc,
    width: 240,
    card: 'title',
    cell: ({ testDesc }) => <strong>{testDesc}</strong>,
  },
  { key: 'price', header: label.price, width: 100, align: 'right', cell: ({ price }) => price.toFixed(2) },
  { key: 'currencyCode', header: label.currencyCode, width: 90, cell: ({ currencyCode }) => currencyCode },
  { key: 'priceComment', header: label.priceComment, width: 240, cell: ({ priceComment }) => priceComment },
  {
    key: 'actions',
    header: 'Actions',
    HeaderIcon: MoreIcon,
    width: 56,
    isSticky: 'right',
    visibleTo: 'clients.write',
    cell: (price) => <RowButton label={`Edit ${nameOf(price)}`} Glyph={EditIcon} onClick={() => onEdit(price)} />,
  },
]
const nameOf = ({ testCode, currencyCode }: ClientPrice) => `${testCode} ${currencyCode}`

const fields: readonly FieldDef[] = [
  { name: 'testId', label: label.testId, kind: 'autocomplete', lookup: 'defaultTests', isRequired: true, isWide: true },
  { name: 'price', label: label.price, kind: 'number', isRequired: true },
  { name: 'currencyCode', label: label.currencyCode, kind: 'select', lookup: 'currency', initial: defaultCurrency },
  { name: 'priceComment', label: label.priceComment, kind: 'multiline', isWide: true },
]

export const PricesTab = ({ client: { id } }: { client: Client }) => {
  const [edited, setEdited] = useState<ClientPrice | 'new' | null>(null)
  const columns = useMemo(() => columnsFor(setEdited), [])
  return (
    <>
      <TableCard
        title="Test Prices"
        itemName="test price"
        resource={clientRoutes.list.path}
        route={clientRecordRoutes.prices}
        params={{ id }}
        columns={columns}
        rowName={nameOf}
        removeRoute={clientRecordRoutes.removePrices}
        actions={<AddButton label="Add price" onClick={() => setEdited('new')} />}
        emptyText="No prices have been agreed with this client."
      />
      {edited !== null && (
        <PriceDialog clientId={id} price={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />
      )}
    </>
  )
}

interface PriceDialogProps {
  clientId: number
  /** The one to be changed; a new one without it. */
  price: ClientPrice | undefined
  onClose: () => void
}

const PriceDialog = ({ clientId, price, onClose }: PriceDialogProps) => {
  const add = useSave(clientRecordRoutes.addPrice)
  const update = useSave(clientRecordRoutes.updatePrice)
  return (
    <FormDialog
      title={price ? `${price.testCode} ${price.testDesc}` : 'Add price'}
      submitLabel={price ? 'Update' : 'Add'}
      columns={2}
      schema={priceInput}
      fields={fields}
      values={price}
      version={price?.version}
      onSubmit={(body, { version }): Promise<unknown> =>
        price
          ? update({ params: { id: clientId, recordId: price.id }, body, headers: ifMatch(version) })
          : add({ params: { id: clientId }, body })
      }
      onClose={onClose}
    />
  )
}
