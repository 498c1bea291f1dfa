import type { KeyboardEvent } from 'react'

/** Marks what the arrow keys can reach: the place in the grid by row and column. */
export const placeOf = (row: number, column: number) => ({ 'data-row': row, 'data-column': column })

const findPlace = (from: Element, row: number, column: number) =>
  from.closest('table')?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)

/** The next cell in this direction that takes what is typed: numbers keyed down a list must not be lost on calculated tests. */
const nextOpen = (from: HTMLElement, row: number, column: number, step: number): HTMLElement | undefined => {
  const next = findPlace(from, row + step, column)
  if (!next) return undefined
  return next instanceof HTMLTextAreaElement && next.readOnly ? nextOpen(from, row + step, column, step) : next
}

/** Left and right move on only from a value that is not being edited: all of it marked, or none there. */
const isAtRest = (target: HTMLElement): boolean => {
  if (!(target instanceof HTMLTextAreaElement)) return true
  const { selectionStart, selectionEnd, value, readOnly } = target
  return readOnly || value === '' || (selectionStart === 0 && selectionEnd === value.length)
}

/** Moves like a spreadsheet. Answers whether the key was a move. */
export const moveByKey = (event: KeyboardEvent<HTMLElement>): boolean => {
  const target = event.target as HTMLElement
  const row = Number(target.dataset.row)
  const column = Number(target.dataset.column)
  if (Number.isNaN(row) || event.ctrlKey || event.metaKey || event.altKey) return false
  const isResult = target instanceof HTMLTextAreaElement
  const steps: Record<string, [row: number, column: number]> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ...(isAtRest(target) && { ArrowLeft: [0, -1], ArrowRight: [0, 1] }),
  }
  if (isResult && event.key === 'Enter') {
    event.preventDefault()
    const next = nextOpen(target, row, column, event.shiftKey ? -1 : 1)
    // Enter in the last one still leaves the cell, which saves it.
    if (next) next.focus()
    else target.blur()
    return true
  }
  const step = steps[event.key]
  if (!step) return false
  event.preventDefault()
  findPlace(target, row + step[0], column + step[1])?.focus()
  return true
}
