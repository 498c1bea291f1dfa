import { styled } from '@mui/material/styles'

/** A cell that is written to be read: all of it, with its own lines; the row grows. */
export const LongText = styled('span')(({ theme }) => ({
  display: 'block',
  padding: '6px 0',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  [theme.breakpoints.down('sm')]: { padding: 0 },
}))
