import { styled } from '@mui/material/styles'

const Tag = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  height: 18,
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  background: 'var(--info-bg)',
  color: 'var(--info)',
  boxShadow: 'inset 0 0 0 1px color-mix(in srgb, currentColor 14%, transparent)',
})

/** Yes stands out, No does not. */
export const PartialTag = ({ value }: { value: 0 | 1 }) =>
  value === 1 ? <Tag>Yes</Tag> : <span style={{ color: 'var(--text-3)' }}>No</span>
