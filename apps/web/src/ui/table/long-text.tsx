import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'

const Text = styled('span')(({ theme }) => ({
  display: 'block',
  padding: '6px 0',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  [theme.breakpoints.down('sm')]: { padding: 0 },
}))

/** A cell with long text, shown completely with its line breaks. The row grows, and a phone's card gives it the full width. */
export const LongText = ({ children }: { children: ReactNode }) => <Text className="long">{children}</Text>
