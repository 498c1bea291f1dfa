import { comparisonLabels, type FieldComparison } from '@lis/contract/batch-files.ts'
import { styled } from '@mui/material/styles'
import { ErrorIcon, SuccessIcon, WarningIcon } from '../ui/icons.tsx'

const Sides = styled('table')(({ theme }) => ({
  width: '100%',
  borderCollapse: 'collapse',
  '& th, & td': {
    padding: '6px 8px',
    textAlign: 'left',
    borderBottom: '1px solid var(--line)',
    // Break at words: a number or date that is split is misread.
    overflowWrap: 'break-word',
  },
  '& thead th': { fontSize: 11, fontWeight: 400, color: 'var(--text-3)' },
  '& tbody th': { fontWeight: 600, color: 'var(--text-strong)', whiteSpace: 'nowrap' },
  '& td:last-of-type': { whiteSpace: 'nowrap' },
  [theme.breakpoints.down('sm')]: { '& th, & td': { paddingLeft: 3, paddingRight: 3 } },
}))

const outcomes = {
  match: { text: 'agrees', Glyph: SuccessIcon, colour: 'var(--success)' },
  mismatch: { text: 'differs', Glyph: ErrorIcon, colour: 'var(--error)' },
  missing: { text: 'not found', Glyph: WarningIcon, colour: 'var(--warning)' },
} as const

/** The values of a file beside those of the record. */
export const Comparison = ({ compared }: { compared: readonly FieldComparison[] }) => (
  <Sides aria-label="Comparison">
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">In the file</th>
        <th scope="col">In the record</th>
        <th scope="col">Result</th>
      </tr>
    </thead>
    <tbody>
      {compared.map((row) => (
        <Side key={row.field} row={row} />
      ))}
    </tbody>
  </Sides>
)

const Side = ({ row }: { row: FieldComparison }) => {
  const { text, Glyph, colour } = outcomes[row.outcome]
  return (
    <tr>
      <th scope="row">{comparisonLabels[row.field]}</th>
      <td>{row.read ?? '–'}</td>
      <td>{row.record ?? '–'}</td>
      <td>
        <span style={{ color: colour, display: 'inline-flex', alignItems: 'center', gap: 4 }}>
          <Glyph size={13} /> {text}
        </span>
      </td>
    </tr>
  )
}
