import { type CsvLoad, csvLoadLabels } from '@lis/contract/csv-loads.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

/** Good and failed rows; skipped rows only if there are any. */
const Counts = ({ successCount, errorCount, skippedCount, state }: CsvLoad) => (
  <span>
    <span style={{ color: 'var(--success)', fontWeight: 600 }}>{successCount}</span>/
    <span style={{ color: errorCount > 0 || state === 'FAILED' ? 'var(--error)' : 'inherit', fontWeight: 600 }}>
      {errorCount}
    </span>
    {skippedCount > 0 && <span style={{ color: 'var(--text-3)' }}> ({skippedCount} loaded before)</span>}
    {state === 'FAILED' && <span style={{ color: 'var(--error)' }}> refused</span>}
    {state === 'STOPPED' && <span style={{ color: 'var(--error)' }}> stopped</span>}
    {(state === 'INIT' || state === 'RUNNING') && <span style={{ color: 'var(--text-3)' }}> loading</span>}
  </span>
)

export const csvLoadColumns: readonly Column<CsvLoad>[] = [
  {
    key: 'id',
    header: csvLoadLabels.id,
    sort: 'id',
    width: 110,
    isSticky: true,
    cell: ({ id }) => <span className="strong">{id}</span>,
  },
  {
    key: 'loadDate',
    header: csvLoadLabels.loadDate,
    sort: 'loadDate',
    width: 150,
    cell: ({ loadDate }) => <Timestamp at={loadDate} />,
  },
  {
    key: 'loadFileTypeDesc',
    header: csvLoadLabels.loadFileTypeCode,
    sort: 'loadFileTypeDesc',
    width: 140,
    cell: ({ loadFileTypeDesc }) => loadFileTypeDesc,
  },
  {
    key: 'totalCount',
    header: csvLoadLabels.totalCount,
    sort: 'totalCount',
    width: 160,
    align: 'right',
    cell: ({ totalCount }) => totalCount,
  },
  { key: 'counts', header: csvLoadLabels.counts, width: 180, card: 'head', cell: Counts },
  {
    key: 'loadByName',
    header: csvLoadLabels.loadByName,
    sort: 'loadByName',
    width: 150,
    cell: ({ loadByName }) => loadByName,
  },
]

export const csvLoadFilters: readonly FieldDef[] = [
  { name: 'id', label: csvLoadLabels.id, kind: 'number' },
  { name: 'loadFileTypeCode', label: csvLoadLabels.loadFileTypeCode, kind: 'select', lookup: 'loadFileType' },
  { name: 'loadDate', label: csvLoadLabels.loadDate, kind: 'dateRange' },
]
