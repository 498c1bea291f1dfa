import { type SalesPerson, type SalesRow, type salesClient, salesLabels } from '@lis/contract/sales.ts'
import type { z } from 'zod'
import { formatPhone } from '../../lib/formats.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { EmailText } from '../../ui/table/email-text.tsx'

/** For the list, and for the staff of a sales person, who are sales people too. */
export const salesColumns: readonly Column<SalesRow | SalesPerson>[] = [
  {
    key: 'salesFirstName',
    header: salesLabels.salesFirstName,
    sort: 'salesFirstName',
    width: 150,
    isSticky: true,
    cell: (person) => person.salesFirstName,
  },
  {
    key: 'salesLastName',
    header: salesLabels.salesLastName,
    sort: 'salesLastName',
    width: 170,
    cell: (person) => <span className="strong">{person.salesLastName}</span>,
  },
  {
    key: 'salesEmail',
    header: salesLabels.salesEmail,
    sort: 'salesEmail',
    width: 240,
    cell: (person) => person.salesEmail && <EmailText email={person.salesEmail} />,
  },
  {
    key: 'salesTitle',
    header: salesLabels.salesTitle,
    sort: 'salesTitle',
    width: 170,
    cell: (person) => person.salesTitle,
  },
]

export const salesFilters: readonly FieldDef[] = [
  { name: 'salesFirstName', label: salesLabels.salesFirstName, kind: 'text' },
  { name: 'salesLastName', label: salesLabels.salesLastName, kind: 'text' },
  { name: 'salesEmail', label: salesLabels.salesEmail, kind: 'text' },
  { name: 'salesTitle', label: salesLabels.salesTitle, kind: 'select', lookup: 'salesTitle' },
  { name: 'salesTypeCode', label: salesLabels.salesTypeDesc, kind: 'select', lookup: 'salesType' },
]

type SalesClient = z.infer<typeof salesClient>

export const salesClientColumns: readonly Column<SalesClient>[] = [
  { key: 'legacyClientId', header: 'Client ID', cell: (client) => client.legacyClientId },
  { key: 'clientName', header: 'Name', cell: (client) => client.clientName },
  { key: 'clientCity', header: 'City', cell: (client) => client.clientCity },
  { key: 'clientState', header: 'State', cell: (client) => client.clientState },
  { key: 'clientPhone', header: 'Phone', cell: (client) => formatPhone(client.clientPhone) },
]
