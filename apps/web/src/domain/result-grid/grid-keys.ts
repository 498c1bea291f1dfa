import type { KeyboardEvent } from 'react'

/** Marks a cell that the arrow keys can reach, by row and column. */
export const cellPosition = (row: number, column: number) => ({ 'data-row': row, 'data-column': column })

const findCell = (from: Element, row: number, column: number) =>
  from.closest('table')?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)

/** The next editable cell in this direction: numbers typed down a list must not be lost on calculated tests. */
const nextEditable = (from: HTMLElement, row: number, column: number, step: number): HTMLElement | undefined => {
  const next = findCell(from, row + step, column)
  if (!next) return undefined
  return next instanceof HTMLTextAreaElement && next.readOnly ? nextEditable(from, row + step, column, step) : next
}

/** Left and right leave the cell only if its value is not being edited: all of it selected, or empty. */
const isNotEditing = (target: HTMLElement): boolean => {
  if (!(target instanceof HTMLTextAreaElement)) return true
  const { selectionStart, selectionEnd, value, readOnly } = target
  return readOnly || value === '' || (selectionStart === 0 && selectionEnd === value.length)
}

/** Moves the focus as in a spreadsheet. Returns whether the key was handled. */
export const moveByKey = (event: KeyboardEvent<HTMLElement>): boolean => {
  const target = event.target as HTMLElement
  const row = Number(target.dataset.row)
  const column = Number(target.dataset.column)
  if (Number.isNaN(row) || event.ctrlKey || event.metaKey || event.altKey) return false
  const isResult = target instanceof HTMLTextAreaElement
  const steps: Record<string, [row: number, column: number]> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ...(isNotEditing(target) && { ArrowLeft: [0, -1], ArrowRight: [0, 1] }),
  }
  if (isResult && event.key === 'Enter') {
    event.preventDefault()
    const next = nextEditable(target, row, column, event.shiftKey ? -1 : 1)
    // Enter in the last cell leaves it, which saves it.
    if (next) next.focus()
    else target.blur()
    return true
  }
  const step = steps[event.key]
  if (!step) return false
  event.preventDefault()
  findCell(target, row + step[0], column + step[1])?.focus()
  return true
}
