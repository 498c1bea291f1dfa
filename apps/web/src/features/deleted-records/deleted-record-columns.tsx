import { type DeletedRecord, deletedRecordLabels } from '@lis/contract/deleted-records.ts'
import { deletedKinds } from '@lis/contract/resources.ts'
import Button from '@mui/material/Button'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

export const deletedRecordColumns = (onRestore: (record: DeletedRecord) => void): readonly Column<DeletedRecord>[] => [
  {
    key: 'kind',
    header: deletedRecordLabels.kind,
    sort: 'kind',
    width: 150,
    cell: ({ kind }) => deletedKinds[kind],
  },
  {
    key: 'record',
    header: deletedRecordLabels.record,
    sort: 'record',
    width: 380,
    card: 'title',
    cell: ({ record }) => <span className="strong">{record}</span>,
  },
  {
    key: 'deletedDate',
    header: deletedRecordLabels.deletedDate,
    sort: 'deletedDate',
    width: 140,
    cell: ({ deletedDate }) => <Timestamp at={deletedDate} />,
  },
  {
    key: 'deletedBy',
    header: deletedRecordLabels.deletedBy,
    sort: 'deletedBy',
    width: 150,
    cell: ({ deletedBy }) => deletedBy,
  },
  {
    key: 'restore',
    header: 'Action',
    width: 96,
    isSticky: 'right',
    cell: (row) => (
      <Button
        size="small"
        aria-label={`Restore ${deletedKinds[row.kind]} ${row.record}`}
        onClick={() => onRestore(row)}
      >
        Restore
      </Button>
    ),
  },
]

export const deletedRecordFilters: readonly FieldDef[] = [
  {
    name: 'kind',
    label: deletedRecordLabels.kind,
    kind: 'select',
    options: Object.entries(deletedKinds).map(([value, label]) => ({ value, label })),
  },
  { name: 'deletedDate', label: deletedRecordLabels.deletedDate, kind: 'dateRange' },
  { name: 'deletedBy', label: deletedRecordLabels.deletedBy, kind: 'text' },
]
