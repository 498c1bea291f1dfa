import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import { Link } from 'react-router'
import { PanelIcon, SearchIcon } from '../../ui/icons.tsx'
import { Logo } from '../../ui/logo.tsx'
import type { MenuItem } from '../menu.ts'
import { MoreItems } from './more-items.tsx'
import { type MenuActions, MenuEntry, SidebarButton } from './sidebar-item.tsx'
import { useMenu } from './use-menu.ts'
import { useLiveMenuCounts } from './use-menu-counts.ts'

const Frame = styled('nav')({
  flex: 'none',
  display: 'flex',
  flexDirection: 'column',
  width: 'var(--sidebar-open)',
  height: '100%',
  padding: '0 8px',
  background: 'var(--bg)',
  borderRight: '1px solid var(--line)',
  '&.slim': { width: 'var(--sidebar-closed)' },
  '& hr': { width: 'auto', margin: '4px 8px 5px', border: 0, borderTop: '1px solid var(--line)' },
})
const Brand = styled('div')({
  flex: 'none',
  height: 48,
  display: 'flex',
  alignItems: 'center',
  padding: '0 4px 0 8px',
  '.slim &': { justifyContent: 'center', padding: 0 },
})
const HomeLink = styled(Link)({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  marginRight: 'auto',
  borderRadius: 'var(--r-sm)',
  color: 'var(--text-strong)',
  fontSize: 14,
  fontWeight: 700,
  letterSpacing: '.02em',
  textDecoration: 'none',
  '.slim &': { margin: 0 },
})
const Jump = styled('button')({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  height: 28,
  marginBottom: 12,
  padding: '0 8px',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-sm)',
  background: 'var(--surface)',
  color: 'var(--text-3)',
  font: 'inherit',
  textAlign: 'left',
  cursor: 'pointer',
  '& span': { flex: '1 1 auto' },
})
const Key = styled('kbd')(({ theme }) => ({
  padding: '0 4px',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-xs)',
  background: 'var(--surface-2)',
  color: 'var(--text-3)',
  font: 'inherit',
  fontSize: 11,
  lineHeight: '14px',
  whiteSpace: 'nowrap',
  [theme.breakpoints.down('sm')]: { display: 'none' },
}))
// A long menu scrolls in the middle; the brand and the bottom stay.
const Main = styled('div')({
  flex: '1 1 auto',
  minHeight: 0,
  overflow: 'hidden auto',
  margin: '0 -8px',
  padding: '0 8px',
})
const Bottom = styled('div')({ flex: 'none', borderTop: '1px solid var(--line)', padding: '8px 0 6px' })
const Copyright = styled('p')({
  padding: '6px 8px 2px',
  color: 'var(--text-3)',
  fontSize: 11,
  '.slim &': { padding: '6px 0 2px', fontSize: 9, lineHeight: '11px', textAlign: 'center' },
})

interface SidebarProps {
  isOpen: boolean
  /** Missing in the drawer of small screens. */
  onToggle?: () => void
  onJump: () => void
  actions: MenuActions
  onUse?: (() => void) | undefined
}

export const Sidebar = ({ isOpen, onToggle, onJump, actions, onUse }: SidebarProps) => {
  const items = useMenu()
  useLiveMenuCounts()
  const isSlim = !isOpen
  const entries = (place: MenuItem['place']) =>
    items
      .filter((item) => item.place === place)
      .map((item) => (
        <li key={item.label}>
          <MenuEntry item={item} isSlim={isSlim} actions={actions} onUse={onUse} />
        </li>
      ))
  return (
    <Frame className={isSlim ? 'slim' : undefined} aria-label="Main">
      <Brand>
        <HomeLink to="/" aria-label="LIS, front page" onClick={onUse}>
          <Logo />
          {isOpen && 'LIS'}
        </HomeLink>
        {isOpen && onToggle && (
          <Tooltip title="Collapse sidebar">
            <IconButton onClick={onToggle} aria-expanded>
              <PanelIcon />
            </IconButton>
          </Tooltip>
        )}
      </Brand>
      {isOpen ? (
        <Jump type="button" onClick={onJump}>
          <SearchIcon size={14} />
          <span>Quick jump</span>
          <Key>Ctrl K</Key>
        </Jump>
      ) : (
        <>
          <SidebarButton label="Expand sidebar" icon={PanelIcon} isSlim aria-expanded={false} onClick={onToggle} />
          <SidebarButton label="Quick jump" icon={SearchIcon} isSlim aria-haspopup="dialog" onClick={onJump} />
          <hr />
        </>
      )}
      <Main>
        <ul>{entries('work')}</ul>
        <hr />
        <ul>
          {entries('main')}
          <MoreItems
            items={items.filter((item) => item.place === 'more')}
            isSlim={isSlim}
            actions={actions}
            onUse={onUse}
          />
        </ul>
      </Main>
      <Bottom>
        <ul>{entries('bottom')}</ul>
        <Copyright>Copyright {isSlim && <br />}| 2025</Copyright>
      </Bottom>
    </Frame>
  )
}
