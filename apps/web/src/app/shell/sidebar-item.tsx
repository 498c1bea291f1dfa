import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import type { ReactElement, ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import type { Icon } from '../../ui/icons.tsx'
import type { MenuAction, MenuItem } from '../menu.ts'
import { routeAt } from '../routes.ts'
import { UnreadDot } from './unread-dot.tsx'
import { useMenu } from './use-menu.ts'
import { useMenuCount } from './use-menu-counts.ts'

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
  // All items of a low window without scrolling.
  '@media (max-height: 800px)': { '&.slim': { height: 29 } },
} as const
const ItemLink = styled(Link)(itemStyle)
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
const Count = styled('span')({
  flex: 'none',
  marginLeft: 'auto',
  paddingLeft: 12,
  paddingRight: 4,
  fontSize: 11,
  fontWeight: 600,
  color: 'var(--text-2)',
  '&.late': { color: 'var(--error)' },
})

/** On '/requisitions/create', where that is an item too, '/requisitions' is not the current one; nor '/' on '/?show=NEW_RESULTS'. */
const useIsCurrent = (to: string) => {
  const { pathname, search } = useLocation()
  const others = useMenu().flatMap((other) => (other.to === undefined || other.to === to ? [] : [other.to]))
  const isAt = (address: string) =>
    address.includes('?') ? address === `${pathname}${search}` : address === pathname || isBelow(address)
  const isBelow = (address: string) => address !== '/' && pathname.startsWith(`${address}/`)
  return isAt(to) && !others.some((other) => other.startsWith(to) && isAt(other))
}

interface SidebarLinkProps extends ItemProps {
  to: string
  /** What the tooltip of the collapsed sidebar says, if it is more than the label. */
  name: string
  onClick?: (() => void) | undefined
}

const SidebarLink = ({ to, name, onClick, ...item }: SidebarLinkProps) => {
  const isCurrent = useIsCurrent(to)
  // A link under the pointer is likely to be followed: preload its code.
  const preload = () => routeAt(to.split('?')[0] as string)?.load()
  return withName(
    name,
    item.isSlim,
    <ItemLink
      to={to}
      className={`${classOf(item)} ${isCurrent ? 'active' : ''}`}
      aria-current={isCurrent ? 'page' : undefined}
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
  const { count, isLate } = useMenuCount(item.queue)
  const waiting = count > 0 && `${count} waiting${isLate ? ', over the limit' : ''}`
  const end = isSlim
    ? isLate && <UnreadDot isOnIcon />
    : waiting && (
        <Count className={isLate ? 'late' : undefined} aria-label={waiting}>
          {count}
        </Count>
      )
  const name = waiting ? `${label}, ${waiting}` : label
  const link = { to, label, name, icon, isSlim, isSub, end, onClick: onUse }
  if (to !== undefined) return <SidebarLink {...link} to={to} />
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
