import { physicianLabels as label, type PhysicianRow, physicianColumnLabels } from '@lis/contract/physicians.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { Npi } from './npi.tsx'

export const physicianColumns: readonly Column<PhysicianRow>[] = [
  { key: 'id', header: label.id, sort: 'id', width: 80, isSticky: true, cell: ({ id }) => id },
  {
    key: 'physFirstName',
    header: label.physFirstName,
    sort: 'physFirstName',
    width: 170,
    isSticky: true,
    card: 'title',
    cell: ({ physFirstName }) => physFirstName,
  },
  {
    key: 'physLastName',
    header: label.physLastName,
    sort: 'physLastName',
    width: 190,
    card: 'title',
    cell: ({ physLastName }) => <span className="strong">{physLastName}</span>,
  },
  { key: 'physTitle', header: label.physTitle, sort: 'physTitle', width: 110, cell: ({ physTitle }) => physTitle },
  {
    key: 'npiNumber',
    header: physicianColumnLabels.npiNumber,
    sort: 'npiNumber',
    width: 150,
    cell: (physician) => <Npi physician={physician} />,
  },
  { key: 'ptanNumber', header: label.ptanNumber, sort: 'ptanNumber', width: 130, cell: ({ ptanNumber }) => ptanNumber },
]

export const physicianFilters: readonly FieldDef[] = [
  { name: 'physFirstName', label: label.physFirstName, kind: 'text' },
  { name: 'physLastName', label: label.physLastName, kind: 'text' },
  { name: 'npiNumber', label: label.npiNumber, kind: 'input' },
  { name: 'clientName', label: label.clientName, kind: 'text' },
  { name: 'legacyClientId', label: label.legacyClientId, kind: 'input' },
]
