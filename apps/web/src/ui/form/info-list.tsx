import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'

const List = styled('dl')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'var(--name-width, 124px) minmax(0, 1fr)',
  margin: '-4px 0',
  '& dt': { padding: '4px 0', color: 'var(--text-3)' },
  '& dd': { margin: 0, padding: '4px 0', minWidth: 0, overflowWrap: 'anywhere' },
  '& a:not(:hover)': { textDecoration: 'none' },
  [theme.breakpoints.down('sm')]: {
    fontSize: 13,
    '& dt, & dd': { padding: '9px 0', borderBottom: '1px solid var(--line)' },
    '& dt:last-of-type, & dd:last-of-type': { borderBottom: 0 },
  },
}))

/** Labels and values of a record, read-only; a missing value is a dash. */
export const InfoList = ({ items }: { items: readonly (readonly [label: string, value: ReactNode])[] }) => (
  <List>
    {items.map(([label, value]) => [
      <dt key={`${label}-name`}>{label}</dt>,
      <dd key={label}>{value === null || value === undefined || value === '' ? '–' : value}</dd>,
    ])}
  </List>
)
