import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import type { ReactElement, ReactNode } from 'react'
import { NavLink, useLocation } from 'react-router'
import type { Icon } from '../../ui/icons.tsx'
import type { MenuAction, MenuItem } from '../menu.ts'
import { routeAt } from '../routes.ts'
import { UnreadDot } from './unread-dot.tsx'
import { useMenu } from './use-menu.ts'
import { useMenuCount } from './use-menu-count.ts'

const itemStyle = {
  position: 'relative',
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  width: '100%',
  height: 'var(--item-height, 32px)',
  padding: '0 8px',
  marginBottom: 1,
  border: 0,
  borderRadius: 'var(--r-sm)',
  background: 'none',
  color: 'var(--text-2)',
  font: 'inherit',
  textAlign: 'left',
  textDecoration: 'none',
  whiteSpace: 'nowrap',
  cursor: 'pointer',
  '& svg': { flex: 'none' },
  '&:hover': { background: 'var(--n-100)', color: 'var(--text)' },
  '&.active': { background: 'var(--p-100)', color: 'var(--p)', fontWeight: 600 },
  '&.sub': { paddingLeft: 34 },
  '&.slim': { justifyContent: 'center', padding: 0, height: 36 },
} as const
const ItemLink = styled(NavLink)(itemStyle)
const ItemButton = styled('button')(itemStyle)
const Label = styled('span')({ flex: '1 1 auto', minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' })

interface ItemProps {
  label: string
  icon?: Icon | undefined
  isSlim: boolean
  isSub?: boolean
  end?: ReactNode
}

/** The collapsed sidebar shows icons only, with their labels as tooltips. */
const withName = (label: string, isSlim: boolean, item: ReactElement<Record<string, unknown>>) =>
  isSlim ? (
    <Tooltip title={label} placement="right" enterDelay={0}>
      {item}
    </Tooltip>
  ) : (
    item
  )

const contentOf = ({ label, icon: Glyph, isSlim, end }: ItemProps) => (
  <>
    {Glyph && <Glyph />}
    {!isSlim && <Label>{label}</Label>}
    {end}
  </>
)

const classOf = ({ isSlim, isSub = false }: ItemProps) => `${isSlim ? 'slim' : ''} ${isSub ? 'sub' : ''}`

type ButtonProps = ItemProps & React.ComponentProps<'button'>

export const SidebarButton = ({ label, icon, isSlim, isSub = false, end, ...rest }: ButtonProps) => {
  const item = { label, icon, isSlim, isSub, end }
  return withName(
    label,
    isSlim,
    <ItemButton type="button" {...rest} className={classOf(item)}>
      {contentOf(item)}
    </ItemButton>,
  )
}

/** What waits behind an item, at its end. */
export const Count = styled('span')({
  flex: 'none',
  marginLeft: 'auto',
  paddingLeft: 12,
  paddingRight: 4,
  fontSize: 11,
  fontWeight: 600,
  color: 'var(--text-2)',
})

const SidebarLink = ({ to, onClick, ...item }: ItemProps & { to: string; onClick?: (() => void) | undefined }) => {
  const { pathname } = useLocation()
  // On '/requisitions/create', where that is an item too, '/requisitions' is not the current one.
  const hasCloser = useMenu().some((other) => other.to?.startsWith(`${to}/`) && pathname.startsWith(other.to))
  // A link under the pointer is likely to be followed: preload its code.
  const preload = () => routeAt(to)?.load()
  return withName(
    item.label,
    item.isSlim,
    <ItemLink
      to={to}
      end={hasCloser}
      className={classOf(item)}
      onClick={onClick}
      onMouseEnter={preload}
      onFocus={preload}
    >
      {contentOf(item)}
    </ItemLink>,
  )
}

/** What the items without an address do, and which of them have something unread. */
export interface MenuActions {
  run: (action: MenuAction) => void
  hasUnread: (action: MenuAction) => boolean
}

interface MenuEntryProps {
  item: MenuItem
  isSlim: boolean
  isSub?: boolean
  actions: MenuActions
  /** Closes the drawer of small screens. */
  onUse?: (() => void) | undefined
}

/** A menu item in the sidebar. */
export const MenuEntry = ({ item, isSlim, isSub = false, actions, onUse }: MenuEntryProps) => {
  const { label, icon, to, action } = item
  const count = useMenuCount(item.count)
  const end = count > 0 && !isSlim && <Count aria-label={`${count} waiting`}>{count}</Count>
  if (to !== undefined)
    return <SidebarLink to={to} label={label} icon={icon} isSlim={isSlim} isSub={isSub} end={end} onClick={onUse} />
  if (action === undefined) return null
  const hasUnread = actions.hasUnread(action)
  const run = () => {
    onUse?.()
    actions.run(action)
  }
  return (
    <SidebarButton
      label={label}
      icon={icon}
      isSlim={isSlim}
      isSub={isSub}
      end={hasUnread && <UnreadDot isOnIcon={isSlim} />}
      {...(hasUnread && { 'aria-label': `${label}, unread` })}
      onClick={run}
    />
  )
}
