import {
  type ClientPrice,
  clientRecordRoutes,
  defaultCurrency,
  priceLabels as label,
  priceInput,
} from '@lis/contract/client-records.ts'
import type { Client } from '@lis/contract/clients.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { EditableTableCard } from './editable-table-card.tsx'

const columns: readonly Column<ClientPrice>[] = [
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
]
const nameOf = ({ testCode, currencyCode }: ClientPrice) => `${testCode} ${currencyCode}`
const titleOf = ({ testCode, testDesc }: ClientPrice) => `${testCode} ${testDesc}`

const fields: readonly FieldDef[] = [
  { name: 'testId', label: label.testId, kind: 'autocomplete', lookup: 'defaultTests', isRequired: true, isWide: true },
  { name: 'price', label: label.price, kind: 'number', isRequired: true },
  { name: 'currencyCode', label: label.currencyCode, kind: 'select', lookup: 'currency', initial: defaultCurrency },
  { name: 'priceComment', label: label.priceComment, kind: 'multiline', isWide: true },
]

export const PricesTab = ({ client: { id } }: { client: Client }) => {
  const add = useSave(clientRecordRoutes.addPrice)
  const update = useSave(clientRecordRoutes.updatePrice)
  return (
    <EditableTableCard
      title="Test Prices"
      itemName="test price"
      route={clientRecordRoutes.prices}
      params={{ id }}
      columns={columns}
      rowName={nameOf}
      removeRoute={clientRecordRoutes.removePrices}
      emptyText="No prices have been agreed with this client."
      addLabel="Add price"
      titleOf={titleOf}
      schema={priceInput}
      fields={fields}
      formColumns={2}
      onAdd={(body) => add({ params: { id }, body })}
      onUpdate={(price, body, version) =>
        update({ params: { id, recordId: price.id }, body, headers: ifMatch(version) })
      }
    />
  )
}
