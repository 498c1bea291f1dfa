import IconButton from '@mui/material/IconButton'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { ListAddress } from '../../lib/list-address.ts'
import type { FieldDef } from '../form/field-types.ts'
import { PinIcon, TrashIcon } from '../table/table-icons.tsx'
import { isSameFilter, splitFilters, summaryOf, toEntries } from './smart-filter.ts'
import { type CountedList, type SavedView, useViewCount } from './use-saved-views.ts'

const Row = styled('li')({
  borderTop: '1px solid var(--line)',
  '&:last-child': { borderBottom: '1px solid var(--line)' },
  '& > .line': { display: 'flex', alignItems: 'center', minHeight: 44, paddingRight: 8 },
  '& > .line:hover': { background: 'var(--n-50)' },
  '& > .line.on': { background: 'var(--selected)', boxShadow: 'inset 2px 0 0 var(--p)' },
})
const Select = styled('button')({
  flex: '1 1 auto',
  minWidth: 0,
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) auto',
  columnGap: 8,
  padding: '4px 8px 4px 16px',
  border: 0,
  borderRadius: 'var(--r-sm)',
  background: 'none',
  color: 'var(--text-3)',
  font: 'inherit',
  textAlign: 'left',
  cursor: 'pointer',
  '& > *': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& strong': { fontWeight: 600, color: 'var(--text-strong)' },
  '& small': { gridColumn: 1, fontSize: 11 },
})
const Count = styled('span')({
  gridColumn: 2,
  gridRow: '1 / span 2',
  alignSelf: 'center',
  justifySelf: 'end',
  minWidth: 24,
  textAlign: 'right',
  color: 'var(--text-2)',
})

interface SavedViewItemProps {
  view: SavedView
  list: CountedList | undefined
  fields: readonly FieldDef[]
  address: ListAddress
  isOpen: boolean
  onSelect: () => void
  /** Only the owner's views can be deleted. */
  onDelete: (() => void) | undefined
  /** Below the view while it is open. */
  children?: ReactNode
}

/** A saved view: its name, its filters, and its current number of records. */
export const SavedViewItem = (props: SavedViewItemProps) => {
  const { view, list, fields, address, isOpen, onSelect, onDelete, children } = props
  const row = useRef<HTMLLIElement>(null)
  const isVisible = useHasBeenVisible(row)
  const { known } = splitFilters(fields, toEntries(view.smartValues))
  const { total, isError } = useViewCount(list, known, isVisible)
  const isActive = isOpen || (known.length > 0 && isSameFilter(known, address.filters))
  const summary = summaryOf(fields, known)
  return (
    <Row ref={row}>
      <div className={isActive ? 'line on' : 'line'}>
        <Select
          type="button"
          aria-current={isActive || undefined}
          title={`${view.smartName}\n${summary}`}
          onClick={onSelect}
        >
          <strong>{view.smartName}</strong>
          <small>{view.isOwn ? summary : `${view.ownerName}: ${summary}`}</small>
          <Count hidden={list === undefined}>
            {total === undefined && !isError && <Skeleton variant="rectangular" width={24} height={8} />}
            {isError ? '–' : total?.toLocaleString('en-US')}
          </Count>
        </Select>
        {view.isPinned && (
          <span role="img" aria-label="Pinned to Home" style={{ flex: 'none', color: 'var(--text-3)' }}>
            <PinIcon size={14} />
          </span>
        )}
        {onDelete && (
          <IconButton aria-label={`Delete ${view.smartName}`} onClick={onDelete}>
            <TrashIcon size={14} />
          </IconButton>
        )}
      </div>
      {children}
    </Row>
  )
}

/** Counting is work for the server: only views that have been visible are counted. */
const useHasBeenVisible = (element: RefObject<HTMLElement | null>): boolean => {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isSeen
}
