import { styled } from '@mui/material/styles'

/** A message as it was received; what matters in it can be marked. */
export const RawMessage = styled('pre')({
  margin: 0,
  padding: 12,
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface-2)',
  fontFamily: 'var(--font-mono)',
  fontSize: 11,
  lineHeight: '17px',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  '& mark': { background: 'var(--warning-bg)', color: 'var(--warning)', fontWeight: 700 },
})
