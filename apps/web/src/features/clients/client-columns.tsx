import { type ClientRow, clientColumnLabels, clientLabels as label, unknownTimeZone } from '@lis/contract/clients.ts'
import { ZoneWarning } from '../../domain/zone-warning.tsx'
import { formatPhone } from '../../lib/formats.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { EmailText } from '../../ui/table/email-text.tsx'

// The icon stays visible, however long the name is.
const NameWithZoneWarning = ({ name }: { name: string }) => (
  <span style={{ display: 'flex', alignItems: 'center', gap: 4 }}>
    <strong style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>{name}</strong>
    <ZoneWarning />
  </span>
)

/** The list (CLI-G1): the first layout, with the warning of the other one beside the name. */
export const clientColumns: readonly Column<ClientRow>[] = [
  {
    key: 'legacyClientId',
    header: label.legacyClientId,
    sort: 'legacyClientId',
    width: 88,
    isSticky: true,
    cell: ({ legacyClientId }) => legacyClientId,
  },
  {
    key: 'clientName',
    header: label.clientName,
    sort: 'clientName',
    width: 228,
    isSticky: true,
    card: 'title',
    cell: ({ clientName, clientTz }) =>
      clientTz === unknownTimeZone ? <NameWithZoneWarning name={clientName} /> : <strong>{clientName}</strong>,
  },
  {
    key: 'clientPhone',
    header: label.clientPhone,
    sort: 'clientPhone',
    width: 132,
    cell: ({ clientPhone }) => formatPhone(clientPhone),
  },
  {
    key: 'clientFaxEmail',
    header: clientColumnLabels.clientFaxEmail,
    sort: 'clientFaxEmail',
    width: 160,
    cell: ({ clientFaxEmail }) => clientFaxEmail && <EmailText email={clientFaxEmail} />,
  },
  {
    key: 'clientCountry',
    header: clientColumnLabels.clientCountry,
    sort: 'clientCountry',
    width: 116,
    cell: ({ clientCountry }) => clientCountry,
  },
  { key: 'clientCity', header: label.clientCity, sort: 'clientCity', width: 112, cell: ({ clientCity }) => clientCity },
  {
    key: 'clientState',
    header: clientColumnLabels.clientState,
    sort: 'clientState',
    width: 112,
    cell: ({ clientState }) => clientState,
  },
  { key: 'clientZip', header: label.clientZip, sort: 'clientZip', width: 80, cell: ({ clientZip }) => clientZip },
]

/** CLI-G10. */
export const clientFilters: readonly FieldDef[] = [
  { name: 'legacyClientId', label: label.legacyClientId, kind: 'input' },
  { name: 'clientName', label: label.clientName, kind: 'text' },
  { name: 'clientPhone', label: label.clientPhone, kind: 'text' },
  { name: 'clientCity', label: label.clientCity, kind: 'text' },
  { name: 'clientStateId', label: label.clientStateId, kind: 'autocomplete', lookup: 'states' },
  { name: 'clientCountryId', label: label.clientCountryId, kind: 'autocomplete', lookup: 'countries' },
  { name: 'colaId', label: label.colaId, kind: 'autocomplete', lookup: 'collaborators' },
  { name: 'salesId', label: label.salesRep, kind: 'autocomplete', lookup: 'sales' },
  { name: 'isTzMissing', label: 'Timezone missing', kind: 'singleCheckbox' },
]
