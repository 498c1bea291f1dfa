import type { HomeOrder } from '@lis/contract/portal-orders.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { keysOfSet } from '../../domain/chosen-tests.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { Panel } from './panel.tsx'

const List = styled('ul')({
  margin: 0,
  padding: '8px 12px 12px',
  listStyle: 'none',
  display: 'flex',
  flexDirection: 'column',
  gap: 8,
  '& a.set': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 44,
    padding: '6px 10px',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-sm)',
    color: 'var(--text)',
    textDecoration: 'none',
  },
  '& a.set:hover': { background: 'var(--n-50)' },
  '& a.set > span': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
  '& b': { display: 'block', fontWeight: 600, color: 'var(--text-strong)' },
  '& small': { fontSize: 11, color: 'var(--text-3)', whiteSpace: 'nowrap' },
  '& svg': { flex: 'none', color: 'var(--link)' },
})

/** What the practice orders most often, each a link to the order page with these tests chosen. */
export const OrderPanel = ({ order: { usualSets, link } }: { order: HomeOrder }) => (
  <Panel title="Order tests" note={usualSets.length > 0 ? 'Your usual sets' : ''}>
    <List>
      {usualSets.map((set) => {
        const { name, codes, count } = set
        const tests = keysOfSet(set).join()
        return (
          <li key={tests}>
            <Link className="set" to={`${link}?tests=${tests}`}>
              <span>
                <b>{name}</b>
                <small>{codes.join(', ')}</small>
              </span>
              <small>{count}× in 90 days</small>
              <PlusIcon />
            </Link>
          </li>
        )
      })}
      <li>
        <Button component={Link} to={link}>
          {usualSets.length > 0 ? 'Other tests' : 'Order tests'}
        </Button>
      </li>
    </List>
  </Panel>
)
