import { styled } from '@mui/material/styles'
import { Spinner } from './spinner.tsx'

const Screen = styled('div')({
  position: 'fixed',
  inset: 0,
  zIndex: 2000,
  display: 'grid',
  placeItems: 'center',
  background: 'var(--scrim)',
})
const Box = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  height: 44,
  padding: '0 16px',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  color: 'var(--text)',
  boxShadow: 'var(--shadow-3)',
})

/** Covers the page while it must not be used. */
export const SpinnerOverlay = ({ label }: { label: string }) => (
  <Screen role="status">
    <Box>
      <Spinner sx={{ color: 'var(--p)' }} />
      {label}
    </Box>
  </Screen>
)
