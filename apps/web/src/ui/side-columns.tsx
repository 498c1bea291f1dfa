import { styled } from '@mui/material/styles'

/** What is there beside the form that adds to it; one under the other where there is little room. */
export const SideColumns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) 340px',
  gap: 12,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '&.alone': { gridTemplateColumns: 'minmax(0, 1fr)' },
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))
