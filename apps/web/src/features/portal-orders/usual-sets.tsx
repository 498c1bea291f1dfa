import type { UsualSet } from '@lis/contract/portal-orders.ts'
import { styled } from '@mui/material/styles'
import { keysOfSet } from '../../domain/chosen-tests.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const List = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(220px, 1fr))',
  gap: 8,
  marginBottom: 12,
  '& button': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 44,
    padding: '6px 10px',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-sm)',
    background: 'var(--surface)',
    font: 'inherit',
    color: 'var(--text)',
    textAlign: 'left',
    cursor: 'pointer',
  },
  '& button:hover': { background: 'var(--n-50)' },
  '& button[aria-pressed=true]': { borderColor: 'var(--p)', background: 'var(--p-100)' },
  '& b': { display: 'block', fontWeight: 600, color: 'var(--text-strong)' },
  '& span': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
  '& small': { fontSize: 11, color: 'var(--text-3)' },
  '& button[aria-pressed=true] small': { color: 'var(--text-2)' },
  '& svg': { flex: 'none', color: 'var(--link)' },
})

interface UsualSetsProps {
  sets: readonly UsualSet[]
  chosen: readonly string[]
  onChoose: (tests: string[]) => void
}

/** What the practice orders most often; a click adds it, another one removes it. */
export const UsualSets = ({ sets, chosen, onChoose }: UsualSetsProps) => (
  <List role="group" aria-label="Your usual sets">
    {sets.map((set) => {
      const keys = keysOfSet(set)
      const isChosen = keys.every((key) => chosen.includes(key))
      return (
        <button
          key={keys.join()}
          type="button"
          aria-pressed={isChosen}
          onClick={() =>
            onChoose(isChosen ? chosen.filter((key) => !keys.includes(key)) : [...new Set([...chosen, ...keys])])
          }
        >
          <span>
            <b>{set.name}</b>
            <small>
              {set.codes.join(', ')} · {set.count}× in 90 days
            </small>
          </span>
          <PlusIcon />
        </button>
      )
    })}
  </List>
)
