import { styled } from '@mui/material/styles'

const List = styled('ol')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  margin: 0,
  padding: '4px 0',
  listStyle: 'none',
  '& > li': { display: 'flex', alignItems: 'center', gap: 8, color: 'var(--text-3)', whiteSpace: 'nowrap' },
  '& > li + li::before': { content: '""', width: 32, height: 1, background: 'var(--line-strong)' },
  '& b': {
    display: 'grid',
    placeItems: 'center',
    width: 20,
    height: 20,
    borderRadius: '50%',
    border: '1px solid var(--field-line)',
    fontSize: 11,
    fontWeight: 600,
  },
  '& > li.done b': { borderColor: 'var(--p)', color: 'var(--p)' },
  '& > li[aria-current]': { color: 'var(--text-strong)', fontWeight: 600 },
  '& > li[aria-current] b': { borderColor: 'var(--p)', background: 'var(--p)', color: 'var(--on-p)' },
  [theme.breakpoints.down('sm')]: {
    '& > li:not([aria-current]) > span': { display: 'none' },
    '& > li + li::before': { width: 16 },
  },
}))

/** Progress of a form with several steps. */
export const Steps = ({ names, current }: { names: readonly string[]; current: number }) => (
  <List aria-label="Steps">
    {names.map((name, index) => (
      <li
        key={name}
        aria-current={index === current ? 'step' : undefined}
        className={index < current ? 'done' : undefined}
      >
        <b aria-hidden="true">{index + 1}</b>
        <span>{name}</span>
      </li>
    ))}
  </List>
)
