import Tooltip from '@mui/material/Tooltip'
import { type FocusEvent, type MouseEvent, type ReactNode, useState } from 'react'

interface Tip {
  cell: HTMLElement
  text: string
}

const truncatedCell = (target: EventTarget): Tip | null => {
  const cell = (target as Element).closest<HTMLTableCellElement>('td:not(.ctl), th')
  if (!cell || cell.colSpan > 1 || cell.scrollWidth <= cell.clientWidth) return null
  return { cell, text: cell.innerText }
}

interface EllipsisTip {
  /** For the element around the cells. */
  listeners: {
    onMouseOver: (event: MouseEvent) => void
    onMouseLeave: () => void
    onFocus: (event: FocusEvent) => void
    onBlur: () => void
  }
  tip: ReactNode
}

/** Shows the full text of a truncated cell. One tooltip for the whole table: one per cell would be slow. */
export const useTruncationTooltip = (): EllipsisTip => {
  const [shown, setShown] = useState<Tip | null>(null)
  const show = (event: { target: EventTarget }) => {
    const next = truncatedCell(event.target)
    setShown((before) => (before?.cell === next?.cell ? before : next))
  }
  const hide = () => setShown(null)
  return {
    listeners: { onMouseOver: show, onMouseLeave: hide, onFocus: show, onBlur: hide },
    tip: shown && (
      <Tooltip open title={shown.text} enterDelay={300} slotProps={{ popper: { anchorEl: shown.cell } }}>
        <span hidden />
      </Tooltip>
    ),
  }
}
