import { styled } from '@mui/material/styles'

/** A state in a word; its class is the meaning of its colour: warning, error, info or success. */
export const Tag = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  flex: 'none',
  height: 18,
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  boxShadow: 'inset 0 0 0 1px var(--line)',
  color: 'var(--text-2)',
  background: 'var(--surface-3)',
  '&.warning': {
    color: 'var(--warning)',
    background: 'var(--warning-bg)',
    boxShadow: 'inset 0 0 0 1px var(--warning-line)',
  },
  '&.error': { color: 'var(--error)', background: 'var(--error-bg)', boxShadow: 'inset 0 0 0 1px var(--error-line)' },
  '&.info': { color: 'var(--info)', background: 'var(--info-bg)', boxShadow: 'inset 0 0 0 1px var(--info-line)' },
  '&.success': {
    color: 'var(--success)',
    background: 'var(--success-bg)',
    boxShadow: 'inset 0 0 0 1px var(--success-line)',
  },
})
