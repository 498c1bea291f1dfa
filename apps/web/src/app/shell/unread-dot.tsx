import { styled } from '@mui/material/styles'

const Dot = styled('span')({
  flex: 'none',
  width: 6,
  height: 6,
  borderRadius: '50%',
  background: 'var(--error-solid)',
  '&.on-icon': { position: 'absolute', top: 7, right: 8, boxShadow: '0 0 0 2px var(--bg)' },
  '&.large': { top: 12, right: 13, width: 8, height: 8, boxShadow: '0 0 0 2px var(--surface)' },
})

interface UnreadDotProps {
  /** In the corner of an icon, with a gap around it. */
  isOnIcon?: boolean
  /** On the top bar of phones. */
  isLarge?: boolean
}

/** Marks something unread; the label of the button says so too. */
export const UnreadDot = ({ isOnIcon = false, isLarge = false }: UnreadDotProps) => (
  <Dot className={`${isOnIcon ? 'on-icon' : ''} ${isLarge ? 'large' : ''}`} />
)
