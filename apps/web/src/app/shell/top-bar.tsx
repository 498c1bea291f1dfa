import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { MenuIcon } from '../../ui/icons.tsx'

const Bar = styled('header')({
  position: 'absolute',
  inset: '0 0 auto',
  zIndex: 1,
  display: 'flex',
  alignItems: 'center',
  height: 56,
  padding: '0 8px',
  background: 'var(--surface)',
  borderBottom: '1px solid var(--line)',
})

/** Small screens: the way to the menu. The page's own header lies in the same bar, to the right of the button. */
export const TopBar = ({ onMenu, isMenuOpen }: { onMenu: () => void; isMenuOpen: boolean }) => (
  <Bar>
    <IconButton aria-label="Menu" aria-haspopup="dialog" aria-expanded={isMenuOpen} onClick={onMenu}>
      <MenuIcon size={20} />
    </IconButton>
  </Bar>
)
