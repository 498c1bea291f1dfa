import { styled } from '@mui/material/styles'
import type { KeyboardEvent } from 'react'

const List = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  minWidth: 0,
  display: 'flex',
  gap: 16,
  '& > button': {
    minHeight: 36,
    padding: 0,
    border: 0,
    background: 'none',
    color: 'var(--text-2)',
    font: 'inherit',
    cursor: 'pointer',
    '&[aria-selected="true"]': { color: 'var(--p)', fontWeight: 600, boxShadow: 'inset 0 -2px 0 var(--p)' },
    '&:focus-visible': { boxShadow: 'inset 0 0 0 2px var(--focus)', outline: 'none' },
  },
  [theme.breakpoints.down('sm')]: { '& > button': { minHeight: 56, fontSize: 14 } },
}))

interface PanelTabsProps {
  label: string
  /** `{id}-tab-{index}` is the id of a tab, `{id}-body` that of its content. */
  id: string
  tabs: readonly string[]
  current: number
  onChange: (index: number) => void
}

/** Tabs with arrow key navigation. Nothing is measured: the current tab draws its own underline. */
export const PanelTabs = ({ label, id, tabs, current, onChange }: PanelTabsProps) => {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...event.currentTarget.children] as HTMLElement[]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const last = all.length - 1
    const next = {
      ArrowLeft: at > 0 ? at - 1 : last,
      ArrowRight: at < last ? at + 1 : 0,
      Home: 0,
      End: last,
    }[event.key]
    if (at < 0 || next === undefined) return
    event.preventDefault()
    all[next]?.focus()
  }
  return (
    <List role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((text, index) => (
        <button
          key={text}
          type="button"
          role="tab"
          id={`${id}-tab-${index}`}
          aria-controls={`${id}-body`}
          aria-selected={index === current}
          tabIndex={index === current ? 0 : -1}
          onClick={() => onChange(index)}
        >
          {text}
        </button>
      ))}
    </List>
  )
}
