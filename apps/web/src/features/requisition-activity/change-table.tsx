import type { RequisitionHistory } from '@lis/contract/requisitions/record.ts'
import { styled } from '@mui/material/styles'

const Frame = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  '& th, & td': { padding: '4px 10px', textAlign: 'left', verticalAlign: 'top', overflowWrap: 'anywhere' },
  '& thead th': { fontSize: 11, fontWeight: 400, color: 'var(--text-3)', borderBottom: '1px solid var(--line)' },
  '& tbody th': { fontWeight: 400, color: 'var(--text-3)', width: 200 },
  '& del': { color: 'var(--text-3)', textDecorationColor: 'var(--n-400)' },
})

/** New beside old, field by field. */
export const ChangeTable = ({ row: { newData, oldData, reason } }: { row: RequisitionHistory }) => {
  const before = new Map(oldData.map(({ key, value }) => [key, value]))
  const after = new Map(newData.map(({ key, value }) => [key, value]))
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  if (keys.length === 0) return <p>{reason ?? 'Empty Table'}</p>
  return (
    <Frame>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Old</th>
          <th scope="col">New</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <td>{before.has(key) ? <del>{before.get(key)}</del> : '–'}</td>
            <td>{after.get(key) ?? '–'}</td>
          </tr>
        ))}
        {reason && (
          <tr>
            <th scope="row">Reason</th>
            <td colSpan={2}>{reason}</td>
          </tr>
        )}
      </tbody>
    </Frame>
  )
}
