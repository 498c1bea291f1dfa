import { styled } from '@mui/material/styles'

/** A list and its form side by side; stacked on narrow screens. */
export const SideColumns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) 340px',
  gap: 12,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '&.alone': { gridTemplateColumns: 'minmax(0, 1fr)' },
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))
