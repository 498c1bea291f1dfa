import { styled } from '@mui/material/styles'

/** As wide as its text, and on phones as wide as the other fields. */
export const StatusChoice = styled('div')(({ theme }) => ({
  maxWidth: 320,
  [theme.breakpoints.down('sm')]: { maxWidth: 'none' },
}))
