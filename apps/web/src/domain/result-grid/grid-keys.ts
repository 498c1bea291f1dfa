import type { KeyboardEvent } from 'react'

/** Marks what the arrow keys can reach: the place in the grid by row and column. */
export const placeOf = (row: number, column: number) => ({ 'data-row': row, 'data-column': column })

const focusPlace = (from: Element, row: number, column: number): boolean => {
  const target = from.closest('table')?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)
  target?.focus()
  return target !== undefined && target !== null
}

/** Left and right move on only from a value that is not being edited: all of it marked, or none there. */
const isAtRest = (target: HTMLElement): boolean => {
  if (!(target instanceof HTMLInputElement)) return true
  const { selectionStart, selectionEnd, value, readOnly } = target
  return readOnly || value === '' || (selectionStart === 0 && selectionEnd === value.length)
}

/** Moves like a spreadsheet. Answers whether the key was a move. */
export const moveByKey = (event: KeyboardEvent<HTMLElement>): boolean => {
  const target = event.target as HTMLElement
  const row = Number(target.dataset.row)
  const column = Number(target.dataset.column)
  if (Number.isNaN(row) || event.ctrlKey || event.metaKey || event.altKey) return false
  const isInput = target instanceof HTMLInputElement
  const steps: Record<string, [row: number, column: number]> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ...(isInput && { Enter: [event.shiftKey ? -1 : 1, 0] }),
    ...(isAtRest(target) && { ArrowLeft: [0, -1], ArrowRight: [0, 1] }),
  }
  const step = steps[event.key]
  if (!step) return false
  event.preventDefault()
  // Enter in the last row still leaves the cell, which saves it.
  if (!focusPlace(target, row + step[0], column + step[1]) && event.key === 'Enter') target.blur()
  return true
}
