import { locationLabels, type SpecLocation, slotName } from '@lis/contract/spec-locations.ts'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

export const locationColumns: readonly Column<SpecLocation>[] = [
  {
    key: 'status',
    header: locationLabels.status,
    width: 84,
    card: 'head',
    cell: ({ status }) => <span className={status === 'Placed' ? 'strong' : 'muted'}>{status}</span>,
  },
  { key: 'type', header: locationLabels.specLocTypeCode, width: 130, cell: (row) => row.specLocTypeDesc },
  { key: 'size', header: locationLabels.sampleSizeCode, width: 130, cell: (row) => row.sampleSizeDesc },
  { key: 'aliquot', header: locationLabels.aliquot, width: 64, align: 'right', cell: (row) => row.aliquot },
  { key: 'freezer', header: locationLabels.sampleStorageCode, width: 140, cell: (row) => row.sampleStorageDesc },
  { key: 'shelf', header: locationLabels.shelf, width: 64, cell: (row) => row.shelf },
  { key: 'rack', header: locationLabels.rack, width: 64, cell: (row) => row.rack },
  { key: 'box', header: locationLabels.box, width: 64, cell: (row) => row.box },
  {
    key: 'slot',
    header: locationLabels.slot,
    width: 64,
    cell: (row) => <span className="strong">{slotName(row)}</span>,
  },
  {
    key: 'placedDate',
    header: locationLabels.placedDate,
    width: 140,
    cell: (row) => <Timestamp at={row.placedDate} zone={row.labTz} />,
  },
  { key: 'placedBy', header: locationLabels.placedByUsername, width: 110, cell: (row) => row.placedByUsername },
  {
    key: 'discardDate',
    header: locationLabels.discardDate,
    width: 140,
    cell: (row) => row.discardDate && <Timestamp at={row.discardDate} zone={row.labTz} />,
  },
  { key: 'discardBy', header: locationLabels.discardByUsername, width: 110, cell: (row) => row.discardByUsername },
]
