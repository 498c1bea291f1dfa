import IconButton from '@mui/material/IconButton'
import ListItemIcon from '@mui/material/ListItemIcon'
import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { Link } from 'react-router'
import { BellIcon, ChevronLeftIcon, MenuIcon, MoreIcon, SearchIcon } from '../../ui/icons.tsx'
import type { PageAction, PageBar } from '../../ui/page-bar.ts'
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
const Title = styled('span')({
  flex: '1 1 auto',
  minWidth: 0,
  marginLeft: 4,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  fontSize: 16,
  lineHeight: '24px',
  fontWeight: 600,
  color: 'var(--text-strong)',
})

interface TopBarProps {
  /** Set by a nested page. */
  page: PageBar | null
  onMenu: () => void
  isMenuOpen: boolean
  onJump: () => void
  actions: MenuActions
}

/**
 * The top bar of small screens: menu, quick jump and notifications, with the page's header between the buttons. A nested page shows a back
 * link instead of the menu, and 'More' for the rest.
 */
export const TopBar = ({ page, onMenu, isMenuOpen, onJump, actions }: TopBarProps) => {
  const hasBell = useMenu().some(({ action }) => action === 'notifications')
  const hasUnread = hasBell && actions.hasUnread('notifications')
  const bellName = hasUnread ? 'Notifications, unread' : 'Notifications'
  const openNotifications = () => actions.run('notifications')
  const menu = { label: 'Menu', icon: MenuIcon, run: onMenu }
  return (
    <Bar>
      {page ? (
        <IconButton component={Link} to={page.back.to} aria-label={page.back.label}>
          <ChevronLeftIcon size={20} />
        </IconButton>
      ) : (
        <IconButton aria-label="Menu" aria-haspopup="dialog" aria-expanded={isMenuOpen} onClick={onMenu}>
          <MenuIcon size={20} />
        </IconButton>
      )}
      <Title>{page?.title}</Title>
      <IconButton aria-label="Quick jump" aria-haspopup="dialog" onClick={onJump}>
        <SearchIcon size={20} />
      </IconButton>
      {page ? (
        <More
          hasUnread={hasUnread}
          items={[
            ...page.actions,
            menu,
            ...(hasBell ? [{ label: bellName, icon: BellIcon, run: openNotifications }] : []),
          ]}
        />
      ) : (
        hasBell && (
          <IconButton aria-label={bellName} aria-haspopup="dialog" onClick={openNotifications}>
            <BellIcon size={20} />
            {hasUnread && <UnreadDot isOnIcon isLarge />}
          </IconButton>
        )
      )}
    </Bar>
  )
}

/** What does not fit into the bar. */
const More = ({ items, hasUnread }: { items: readonly PageAction[]; hasUnread: boolean }) => {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const use = (run?: () => void) => () => {
    setAnchor(null)
    run?.()
  }
  return (
    <>
      <IconButton
        aria-label={hasUnread ? 'More, unread notifications' : 'More'}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <MoreIcon size={20} />
        {hasUnread && <UnreadDot isOnIcon isLarge />}
      </IconButton>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={use()}>
        {items.map(({ label, icon: Glyph, to, run }) => (
          <MenuItem key={label} {...(to !== undefined && { component: Link, to })} onClick={use(run)}>
            <ListItemIcon>
              <Glyph />
            </ListItemIcon>
            {label}
          </MenuItem>
        ))}
      </Menu>
    </>
  )
}
