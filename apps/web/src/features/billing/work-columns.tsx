import { styled } from '@mui/material/styles'

/** Cards beside the tables; on smaller screens above them in a row, so that no table needs horizontal scrolling. */
export const WorkColumns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '352px minmax(0, 1fr)',
  gap: 12,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '& > div': { display: 'flex', flexDirection: 'column', gap: 12 },
  [theme.breakpoints.down('lg')]: {
    gridTemplateColumns: 'minmax(0, 1fr)',
    '& > div:first-of-type': {
      display: 'grid',
      gridTemplateColumns: 'repeat(auto-fit, minmax(280px, 1fr))',
      alignItems: 'start',
      '& > :only-child': { maxWidth: 460 },
    },
  },
}))
