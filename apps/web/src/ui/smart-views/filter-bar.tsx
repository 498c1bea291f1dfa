import { can } from '@lis/contract/access/permissions.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, useRef } from 'react'
import type { ChangeList, ListAddress } from '../../lib/list-address.ts'
import { useRole } from '../../lib/session.ts'
import type { FieldDef } from '../form/field-types.ts'
import { FilterTags } from './filter-tags.tsx'
import { FilterIcon } from './icons.tsx'
import { fieldsFor } from './smart-filter.ts'
import { useAddressCheck } from './use-address-check.ts'

const Bar = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  height: 44,
  padding: '0 16px',
  '& .view[aria-expanded="true"]': {
    background: 'var(--p-50)',
    borderColor: 'var(--p-200)',
    color: 'var(--p)',
    '& svg': { color: 'var(--p)' },
  },
  '& > .MuiButton-root': { flex: 'none' },
  [theme.breakpoints.down('sm')]: {
    height: 52,
    padding: '0 12px',
    background: 'var(--bg)',
    '& .MuiButton-root': { flex: 'none', height: 36 },
  },
}))
const Space = styled('span')({ flex: '1 1 0' })

export interface FilterBarProps {
  address: ListAddress
  onChange: ChangeList
  /** All filters of the screen; those that the role lacks are left out here. */
  fields: readonly FieldDef[]
  /** The resource of the list. */
  screen: string
  /** 'Search Requisition', where the screen has one: a `SearchInput`. */
  search?: ReactNode
  /** False while it is not yet known what the list shows. */
  isReady?: boolean
  /** The filters are those of a view, which keeps them out of the address. */
  isOfView?: boolean
  labelOfFilter?: ((id: string) => string | undefined) | undefined
  isPanelOpen: boolean
  onTogglePanel: () => void
  /** At the right end: the row height button. */
  children?: ReactNode
}

/** The active filters of the list, and the controls to change them. */
export const FilterBar = ({ address, onChange, fields, screen, search, ...rest }: FilterBarProps) => {
  const { isPanelOpen, onTogglePanel, children, isReady = true, isOfView = false, labelOfFilter } = rest
  const role = useRole()
  const button = useRef<HTMLButtonElement>(null)
  const shown = fieldsFor(fields, role)
  useAddressCheck(address, shown, onChange, { isReady, isOfView, labelOfFilter })
  // Called before the focused control is removed.
  const keepFocus = () => button.current?.focus()
  return (
    <Bar role="group" aria-label="Filters">
      {can(role, 'smartFilter.button') && (
        <Button
          ref={button}
          className="view"
          startIcon={<FilterIcon />}
          aria-expanded={isPanelOpen}
          aria-controls={isPanelOpen ? panelId(screen) : undefined}
          onClick={onTogglePanel}
        >
          View & Filters
        </Button>
      )}
      {search}
      <FilterTags address={address} fields={shown} onChange={onChange} onLastRemoved={keepFocus} />
      {children !== undefined && <Space />}
      {children}
    </Bar>
  )
}

/** Connects the button to the panel it opens. */
export const panelId = (screen: string) => `smart-panel-${screen}`
