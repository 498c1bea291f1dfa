import { useEffect, useState, useSyncExternalStore } from 'react'
import { createAutoSave, type SaveValue } from '../../ui/table/auto-save.ts'

interface AutoSaved<Value> {
  value: Value
  version: number
  save: SaveValue<Value>
  delayMs: 1000 | 500
  isSame?: (one: Value, other: Value) => boolean
}

/** A value of a cell that saves itself: what is shown, how the save stands, and how to change it. */
export const useAutoSaved = <Value>({ value, version, save, delayMs, isSame }: AutoSaved<Value>) => {
  const [cell] = useState(() => createAutoSave({ value, version, save, delayMs, ...(isSame && { isSame }) }))
  const state = useSyncExternalStore(cell.subscribe, cell.get)
  useEffect(() => cell.adopt(value, version), [cell, value, version])
  // Whoever turns the page has not taken back what they chose.
  useEffect(() => () => cell.flush(), [cell])
  return { ...state, change: cell.type, flush: cell.flush, retry: cell.retry }
}
