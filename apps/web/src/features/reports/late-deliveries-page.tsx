import { type Delivery, deliveryRoutes, deliveryLabels as label, transmitMethods } from '@lis/contract/deliveries.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { lateColumns } from './delivery-columns.tsx'

const defaults = { perPage: 10, perPageOptions: [10, 25, 50, 75, 100] }
const filters: FieldDef[] = [
  { name: 'hours', label: 'Hours since the request', kind: 'number', min: 0, max: 8760 },
  {
    name: 'transmitMethodCode',
    label: label.transmitMethodCode,
    kind: 'select',
    options: Object.entries(transmitMethods).map(([value, text]) => ({ value, label: text })),
  },
  { name: 'clientName', label: 'Client', kind: 'text' },
]
const nameOf = ({ reqId, patientName }: Delivery) => `#${reqId} ${patientName}`
const hrefOf = ({ reqId }: Delivery) => `/requisitions/${reqId}/show/reportsDelivery`

/** Deliveries that were given up, and those that have not arrived after some hours. */
export const LateDeliveriesPage = () => (
  <ListPage
    title="Late Deliveries"
    screen="deliveries"
    itemName="delivery"
    route={deliveryRoutes.late}
    columns={lateColumns}
    filters={filters}
    searchLabel="Search Delivery"
    defaults={defaults}
    rowName={nameOf}
    rowHref={hrefOf}
  />
)
