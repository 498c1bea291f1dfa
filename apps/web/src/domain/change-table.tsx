import { styled } from '@mui/material/styles'

const Grid = styled('table')({
  width: '100%',
  tableLayout: 'fixed',
  borderCollapse: 'collapse',
  '& th, & td': { padding: '4px 10px', textAlign: 'left', verticalAlign: 'top', whiteSpace: 'normal' },
  '& thead th': { fontSize: 11, fontWeight: 400, color: 'var(--text-3)', borderBottom: '1px solid var(--line)' },
  '& tbody th': { fontWeight: 400, color: 'var(--text-2)' },
  '& td': { overflowWrap: 'anywhere' },
  '& td.from': { color: 'var(--text-3)' },
  '& th:first-of-type': { width: '28%' },
})

interface Change {
  label: string
  /** null if there was no value before, or is none now. */
  from: string | null
  to: string | null
}

/** The changes of a history entry: each field with its old and new value. */
export const ChangeTable = ({ changes }: { changes: readonly Change[] }) => {
  if (changes.length === 0) return <p style={{ padding: '4px 10px', color: 'var(--text-3)' }}>No field was changed.</p>
  return (
    <Grid>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">From</th>
          <th scope="col">To</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ label, from, to }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td className="from">{from ?? '–'}</td>
            <td>{to ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </Grid>
  )
}
