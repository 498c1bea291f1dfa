import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { useId, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { ChevronDownIcon, MoreIcon } from '../../ui/icons.tsx'
import type { MenuItem as Item } from '../menu.ts'
import { type MenuActions, MenuEntry, SidebarButton } from './sidebar-item.tsx'

interface MoreItemsProps {
  items: Item[]
  isSlim: boolean
  actions: MenuActions
  onUse?: (() => void) | undefined
}

/** The 'More' dropdown: expands inside the open sidebar, opens beside the collapsed one. */
export const MoreItems = ({ items, isSlim, actions, onUse }: MoreItemsProps) => {
  const { pathname } = useLocation()
  const holdsPage = items.some((item) => item.to !== undefined && pathname.startsWith(item.to))
  const [isUnfolded, setUnfolded] = useState(holdsPage)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const id = useId()
  if (items.length === 0) return null
  if (isSlim) {
    return (
      <li>
        <SidebarButton
          label="More"
          icon={MoreIcon}
          isSlim
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
        />
        <Menu
          anchorEl={anchor}
          open={anchor !== null}
          onClose={() => setAnchor(null)}
          anchorOrigin={{ vertical: 'top', horizontal: 'right' }}
        >
          {items.map((item) => (
            <MoreLink
              key={item.label}
              item={item}
              selected={item.to !== undefined && pathname.startsWith(item.to)}
              onClick={() => setAnchor(null)}
            />
          ))}
        </Menu>
      </li>
    )
  }
  return (
    <li>
      <SidebarButton
        label="More"
        icon={MoreIcon}
        isSlim={false}
        aria-expanded={isUnfolded}
        aria-controls={id}
        end={<ChevronDownIcon size={14} style={{ transform: isUnfolded ? undefined : 'rotate(-90deg)' }} />}
        onClick={() => setUnfolded(!isUnfolded)}
      />
      <ul id={id} hidden={!isUnfolded}>
        {items.map((item) => (
          <li key={item.label}>
            <MenuEntry item={item} isSlim={false} isSub actions={actions} onUse={onUse} />
          </li>
        ))}
      </ul>
    </li>
  )
}

interface MoreLinkProps {
  item: Item
  selected: boolean
  onClick: () => void
  /** From the menu, which moves the focus among its items. */
  autoFocus?: boolean
  tabIndex?: number
}

const MoreLink = ({ item: { label, to = '/' }, ...rest }: MoreLinkProps) => (
  <MenuItem {...rest} component={Link} to={to}>
    {label}
  </MenuItem>
)
