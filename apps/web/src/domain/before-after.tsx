import { styled } from '@mui/material/styles'
import { formatLongDate } from '../lib/formats.ts'

const Table = styled('table')({
  width: '100%',
  margin: '8px 0',
  borderCollapse: 'collapse',
  tableLayout: 'fixed',
  '& th, & td': {
    padding: '4px 8px',
    textAlign: 'left',
    borderBottom: '1px solid var(--line)',
    overflowWrap: 'anywhere',
  },
  '& thead th': { fontSize: 11, fontWeight: 600, color: 'var(--text-2)', background: 'var(--surface-2)' },
  '& tbody th': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .changed > td': { fontWeight: 600, background: 'var(--warning-bg)' },
})

interface Row {
  label: string
  before: string | null
  after: string | null
}

interface BeforeAfterProps {
  rows: readonly Row[]
  /** The heading above the two values. */
  headers?: readonly [before: string, after: string]
}

/** Two values of each field beside each other; where they differ, the row is marked. */
export const BeforeAfter = ({ rows, headers = ['Before', 'After'] }: BeforeAfterProps) => (
  <Table>
    <thead>
      <tr>
        {['Field', ...headers].map((header) => (
          <th key={header} scope="col">
            {header}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ label, before, after }) => (
        <tr key={label} className={before === after ? undefined : 'changed'}>
          <th scope="row">{label}</th>
          <td>
            <bdi>{before ?? '–'}</bdi>
          </td>
          <td>
            <bdi>{after ?? '–'}</bdi>
          </td>
        </tr>
      ))}
    </tbody>
  </Table>
)

/** The display text of a patient field. */
export const identityValue = (field: string, value: string | null): string | null =>
  field === 'patientDob' && value !== null ? formatLongDate(value) : value
