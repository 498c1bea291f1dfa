import { styled } from '@mui/material/styles'

/** A titled part of the panel. */
export const Section = styled('section')({
  position: 'relative',
  display: 'flex',
  flexDirection: 'column',
  gap: 10,
  padding: '12px 16px',
  '& + &, form + &': { borderTop: '1px solid var(--line)' },
  '& h2': { fontSize: 12, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
})
