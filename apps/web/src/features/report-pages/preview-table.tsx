import type { ReportColumn, ReportPreview, ReportRow } from '@lis/contract/reports-pages.ts'
import { styled } from '@mui/material/styles'
import { formatDate, formatLongDate } from '../../lib/formats.ts'

const Scroll = styled('div')({
  maxHeight: 420,
  overflow: 'auto',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  '&:focus-visible': { outline: '2px solid var(--focus)', outlineOffset: -2 },
  '& table': { width: '100%', borderCollapse: 'separate', borderSpacing: 0 },
  '& th': {
    position: 'sticky',
    top: 0,
    height: 28,
    padding: '0 10px',
    background: 'var(--surface-2)',
    borderBottom: '1px solid var(--line-strong)',
    textAlign: 'left',
    fontSize: 11,
    fontWeight: 600,
    color: 'var(--text-2)',
    whiteSpace: 'nowrap',
  },
  '& td': { height: 26, padding: '0 10px', whiteSpace: 'nowrap' },
  '& .num': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& tr.subtotal td, & tr.total td': { fontWeight: 600, borderTop: '1px solid var(--line)' },
  '& tr.total td': { background: 'var(--surface-2)' },
  '& tr.note td': { color: 'var(--text-3)' },
})

const places: Partial<Record<ReportColumn['type'], number>> = { decimal1: 1, decimal2: 2, money: 2 }
const isNumber = ({ type }: ReportColumn) => !['text', 'datetime', 'date'].includes(type)
/** Numbers that are identifiers have no thousands separators. */
const isName = ({ name }: ReportColumn) => /reqid$/i.test(name)

/** These show the whole year everywhere. */
const isBirthDay = ({ name }: ReportColumn) => /dob$/i.test(name)

export const cellText = (column: ReportColumn, value: ReportRow[string] | undefined): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') {
    if (column.type === 'date') return isBirthDay(column) ? formatLongDate(value) : formatDate(value)
    // The server has already converted it to the laboratory's time zone, and appended the zone.
    return column.type === 'datetime' ? `${formatDate(value)} ${value.slice(11, 16)} ${value.slice(20)}` : value
  }
  if (isName(column)) return String(value)
  const digits = places[column.type]
  return value.toLocaleString(
    'en-US',
    digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits },
  )
}

/** The first rows of a report, as in its file. */
export const PreviewTable = ({ title, preview: { columns, rows } }: { title: string; preview: ReportPreview }) => (
  <Scroll tabIndex={0} role="region" aria-label={`Rows of ${title}`}>
    <table aria-label={title}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" className={isNumber(column) ? 'num' : undefined}>
              {column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a report have no ids and never move
          <tr key={index} className={row.rowKind}>
            {columns.map((column) => (
              <td key={column.name} className={isNumber(column) ? 'num' : undefined}>
                {cellText(column, row[column.name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
