import { styled } from '@mui/material/styles'

/** Three cards side by side, the box in the middle. */
export const BoxColumns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(380px, 1fr) 394px minmax(320px, 1fr)',
  gridTemplateRows: 'minmax(0, 1fr)',
  gap: 12,
  padding: '0 16px 16px',
  flex: '1 1 auto',
  minHeight: 0,
  overflowY: 'auto',
  '& > section': { minWidth: 0, display: 'flex', flexDirection: 'column' },
  '& > section > div': { flex: '1 1 auto', minHeight: 0, display: 'flex', flexDirection: 'column', gap: 10 },
  '& .fields': { display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 8, alignItems: 'start' },
  '& .fields.three': { gridTemplateColumns: '1fr 1fr 1fr' },
  '& .foot': { display: 'flex', alignItems: 'center', gap: 8 },
  '& .foot > span': { flex: '1 1 auto', minWidth: 0, color: 'var(--text-3)' },
  '& .foot > span.wrong': { color: 'var(--error)' },
  '& .hint': { color: 'var(--text-3)' },
  [theme.breakpoints.down('lg')]: {
    gridTemplateColumns: 'minmax(0, 1fr) 394px',
    gridTemplateRows: 'auto 1fr',
    // The box beside both others.
    '& > section:nth-of-type(2)': { gridColumn: 2, gridRow: '1 / span 2' },
  },
  [theme.breakpoints.down('md')]: {
    gridTemplateColumns: 'minmax(0, 1fr)',
    '& > section:nth-of-type(2)': { gridColumn: 1, gridRow: 'auto' },
  },
  [theme.breakpoints.down('sm')]: {
    padding: '8px 8px 16px',
    '& .fields, & .fields.three': { gridTemplateColumns: '1fr' },
  },
}))
