import { styled } from '@mui/material/styles'

/** A line for each scan: number, slot, what it is, and a button. */
export const ScanList = styled('ol')(({ theme }) => ({
  margin: '0 -12px',
  padding: 0,
  listStyle: 'none',
  borderTop: '1px solid var(--line)',
  borderBottom: '1px solid var(--line)',
  overflowY: 'auto',
  flex: '1 1 auto',
  minHeight: 120,
  '& li': {
    display: 'grid',
    gridTemplateColumns: '28px 36px minmax(0, 1fr) auto',
    alignItems: 'center',
    columnGap: 8,
    minHeight: 36,
    padding: '2px 4px 2px 12px',
    borderBottom: '1px solid var(--line)',
  },
  '& li.wrong': { background: 'var(--error-bg)', '& .slot': { color: 'var(--error)' } },
  '& .no': { color: 'var(--text-3)', fontVariantNumeric: 'tabular-nums' },
  '& .slot': { fontWeight: 600, color: 'var(--p)' },
  '& .who': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .who b': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .more': { fontSize: 11, lineHeight: '14px', color: 'var(--text-3)' },
  '& .problem': {
    display: 'flex',
    alignItems: 'flex-start',
    gap: 4,
    fontSize: 11,
    lineHeight: '14px',
    color: 'var(--error)',
    // The reason is never truncated.
    whiteSpace: 'normal',
    '& > svg': { flex: 'none', marginTop: 1 },
  },
  [theme.breakpoints.down('lg')]: { maxHeight: 360 },
  // The patient's name is never truncated.
  [theme.breakpoints.down('sm')]: { '& .who': { whiteSpace: 'normal' } },
}))
