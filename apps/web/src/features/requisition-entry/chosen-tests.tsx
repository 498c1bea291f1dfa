import type { Orderable } from '@lis/contract/requisitions/create.ts'
import { styled } from '@mui/material/styles'

const List = styled('ul')({
  listStyle: 'none',
  margin: '8px 0 0',
  padding: 0,
  color: 'var(--text-2)',
  '& b': { color: 'var(--text)', fontWeight: 600 },
  '& li': { padding: '3px 0', overflowWrap: 'anywhere' },
})

/** What the chosen panels hold, and the tubes they need. */
export const ChosenTests = ({ keys, orderables }: { keys: readonly string[]; orderables: readonly Orderable[] }) => {
  const chosen = keys.flatMap((key) => orderables.find((one) => one.key === key) ?? [])
  if (chosen.length === 0) return null
  return (
    <List aria-label="What the tests need">
      {chosen.map(({ key, code, testCodes, tubes }) => (
        <li key={key}>
          <b>{code}</b>
          {testCodes.length > 0 && `: ${testCodes.join(', ')}`}
          {tubes.length > 0 && ` · ${tubes.join('; ')}`}
        </li>
      ))}
    </List>
  )
}
