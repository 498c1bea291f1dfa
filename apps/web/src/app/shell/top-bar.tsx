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
  /** Of a page inside another. */
  page: PageBar | null
  onMenu: () => void
  isMenuOpen: boolean
  onJump: () => void
  actions: MenuActions
}

/**
 * Small screens: the way to the menu, to quick jump and to the notifications. The header of a page lies in the same bar, between the
 * buttons; a page inside another shows the way back instead, and the rest stands behind 'More'.
 */
export const TopBar = ({ page, onMenu, isMenuOpen, onJump, actions }: TopBarProps) => {
  const hasBell = useMenu().some(({ action }) => action === 'notifications')
  const hasNews = hasBell && actions.hasNews('notifications')
  const bellName = hasNews ? 'Notifications, unread' : 'Notifications'
  const openNews = () => actions.run('notifications')
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
          hasNews={hasNews}
          items={[...page.actions, menu, ...(hasBell ? [{ label: bellName, icon: BellIcon, run: openNews }] : [])]}
        />
      ) : (
        hasBell && (
          <IconButton aria-label={bellName} aria-haspopup="dialog" onClick={openNews}>
            <BellIcon size={20} />
            {hasNews && <UnreadDot isOnIcon isLarge />}
          </IconButton>
        )
      )}
    </Bar>
  )
}

/** Everything that has no room in the bar. */
const More = ({ items, hasNews }: { items: readonly PageAction[]; hasNews: boolean }) => {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const use = (run?: () => void) => () => {
    setAnchor(null)
    run?.()
  }
  return (
    <>
      <IconButton
        aria-label={hasNews ? 'More, unread notifications' : 'More'}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <MoreIcon size={20} />
        {hasNews && <UnreadDot isOnIcon isLarge />}
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
