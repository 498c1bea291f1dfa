import { styled } from '@mui/material/styles'

/** No wider than its words need, and on phones as wide as the other fields. */
export const StatusChoice = styled('div')(({ theme }) => ({
  maxWidth: 320,
  [theme.breakpoints.down('sm')]: { maxWidth: 'none' },
}))
