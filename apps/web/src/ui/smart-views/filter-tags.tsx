import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import type { MouseEvent } from 'react'
import type { ListAddress, ListChange, SmartFilterEntry } from '../../lib/list-address.ts'
import type { FieldDef } from '../form/field-types.ts'
import { CloseIcon } from '../icons.tsx'
import { splitFilters } from './smart-filter.ts'

// Tags that do not fit are scrolled to: the bar keeps its height, so nothing below it moves. On phones 'Clear All' scrolls with them.
const scrolled = { margin: '0 -4px', padding: 4, overflow: 'auto hidden', scrollbarWidth: 'none' } as const
const row = { display: 'flex', alignItems: 'center', gap: 8, minWidth: 0 } as const
const Frame = styled('div')(({ theme }) => ({
  ...row,
  [theme.breakpoints.down('sm')]: { ...scrolled, '& > *': { flex: 'none' } },
}))
const Tags = styled('ul')(({ theme }) => ({ ...row, [theme.breakpoints.up('sm')]: scrolled }))
const Tag = styled('li')(({ theme }) => ({
  flex: 'none',
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  height: 24,
  maxWidth: 320,
  padding: '0 2px 0 8px',
  border: '1px solid var(--p-200)',
  borderRadius: 'var(--r-sm)',
  background: 'var(--p-50)',
  color: 'var(--text)',
  whiteSpace: 'nowrap',
  '& em': { flex: 'none', fontStyle: 'normal', color: 'var(--text-2)' },
  '& span': { overflow: 'hidden', textOverflow: 'ellipsis' },
  [theme.breakpoints.down('sm')]: { height: 36, maxWidth: 'max(140px, 100vw - 232px)', fontSize: 13 },
}))
const Remove = styled('button')(({ theme }) => ({
  flex: 'none',
  display: 'grid',
  placeItems: 'center',
  width: 20,
  height: 20,
  padding: 0,
  border: 0,
  borderRadius: 'var(--r-xs)',
  background: 'none',
  color: 'var(--text-2)',
  cursor: 'pointer',
  // Accessibility guidelines require a target of at least 24 px; the tag is not higher than that.
  position: 'relative',
  '&::after': { content: '""', position: 'absolute', inset: -2 },
  '&:hover': { background: 'var(--p-100)', color: 'var(--text)' },
  [theme.breakpoints.down('sm')]: { width: 32, height: 32 },
}))

interface FilterTagsProps {
  address: ListAddress
  fields: readonly FieldDef[]
  onChange: (change: ListChange) => void
  /** The last tag is about to be removed, and the focus with it. */
  onLastRemoved: () => void
}

/** 'Client: Acme ✕' for each filter, and 'Clear All'. */
export const FilterTags = ({ address, fields, onChange, onLastRemoved }: FilterTagsProps) => {
  const { known } = splitFilters(fields, address.filters)
  if (known.length === 0) return null
  const remove = (entry: SmartFilterEntry) => (event: MouseEvent<HTMLElement>) => {
    const tag = event.currentTarget.closest('li')
    const neighbour = (tag?.nextElementSibling ?? tag?.previousElementSibling)?.querySelector('button')
    if (neighbour) neighbour.focus()
    else onLastRemoved()
    onChange({ filters: address.filters.filter(({ id }) => id !== entry.id) })
  }
  const clear = () => {
    onLastRemoved()
    onChange({ filters: [] })
  }
  return (
    <Frame>
      <Tags aria-label="Active filters">
        {known.map((entry) => {
          const label = fields.find(({ name }) => name === entry.id)?.label ?? entry.id
          return (
            <Tag key={entry.id} title={`${label}: ${entry.viewValue}`}>
              <em>{label}:</em>
              <span>{entry.viewValue}</span>
              <Remove type="button" aria-label={`Remove ${label}: ${entry.viewValue}`} onClick={remove(entry)}>
                <CloseIcon size={14} />
              </Remove>
            </Tag>
          )
        })}
      </Tags>
      <Button variant="text" sx={{ flex: 'none' }} onClick={clear}>
        Clear All
      </Button>
    </Frame>
  )
}
