import type { MouseEvent } from 'react'
import { useNavigate } from 'react-router'

const interactive = 'a, button, input, label, select, textarea, [role="button"], [role="switch"], [contenteditable]'

const rowAt = (event: MouseEvent) => {
  const target = event.target as Element
  const row = target.closest<HTMLElement>('[data-href]')
  if (!row || !event.currentTarget.contains(row)) return undefined
  const link = target.closest('a.row-link')
  return { href: row.dataset.href ?? '', link, isElsewhere: !link && target.closest(interactive) !== null }
}

const isSelectingText = () => window.getSelection()?.type === 'Range'
const openTab = (href: string) => window.open(href, '_blank', 'noopener')

/**
 * A click anywhere on a row opens it, as its link does: with Ctrl or the middle button in a new tab. One pair of listeners for all rows.
 */
export const useRowClicks = () => {
  const navigate = useNavigate()
  const onClick = (event: MouseEvent) => {
    const at = rowAt(event)
    if (!at || at.isElsewhere || event.defaultPrevented || event.button !== 0) return
    const wantsTab = event.ctrlKey || event.metaKey
    if (wantsTab || event.shiftKey) {
      if (!at.link && wantsTab) openTab(at.href)
      return
    }
    if (!at.link && isSelectingText()) return
    event.preventDefault()
    navigate(at.href)
  }
  const onAuxClick = (event: MouseEvent) => {
    const at = rowAt(event)
    if (at && !at.link && !at.isElsewhere && event.button === 1) openTab(at.href)
  }
  // The middle button would otherwise start scrolling.
  const onMouseDown = (event: MouseEvent) => {
    if (event.button === 1 && rowAt(event)?.link === null) event.preventDefault()
  }
  return { onClick, onAuxClick, onMouseDown }
}
