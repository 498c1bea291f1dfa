import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { BellIcon, MenuIcon, SearchIcon } from '../../ui/icons.tsx'
import type { MenuActions } from './sidebar-item.tsx'
import { UnreadDot } from './unread-dot.tsx'
import { useMenu } from './use-menu.ts'

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

const Space = styled('span')({ flex: '1 1 auto' })

interface TopBarProps {
  onMenu: () => void
  isMenuOpen: boolean
  onJump: () => void
  actions: MenuActions
}

/**
 * Small screens: the way to the menu, to quick jump and to the notifications. The page's own header lies in the same bar, between
 * the buttons.
 */
export const TopBar = ({ onMenu, isMenuOpen, onJump, actions }: TopBarProps) => {
  const hasBell = useMenu().some(({ action }) => action === 'notifications')
  const hasNews = actions.hasNews('notifications')
  return (
    <Bar>
      <IconButton aria-label="Menu" aria-haspopup="dialog" aria-expanded={isMenuOpen} onClick={onMenu}>
        <MenuIcon size={20} />
      </IconButton>
      <Space />
      <IconButton aria-label="Quick jump" aria-haspopup="dialog" onClick={onJump}>
        <SearchIcon size={20} />
      </IconButton>
      {hasBell && (
        <IconButton
          aria-label={hasNews ? 'Notifications, unread' : 'Notifications'}
          aria-haspopup="dialog"
          onClick={() => actions.run('notifications')}
        >
          <BellIcon size={20} />
          {hasNews && <UnreadDot isOnIcon isLarge />}
        </IconButton>
      )}
    </Bar>
  )
}
