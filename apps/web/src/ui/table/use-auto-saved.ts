import { useEffect, useId, useState, useSyncExternalStore } from 'react'
import { useUnsaved } from '../../lib/unsaved.ts'
import { withNewSession } from '../../lib/use-save.ts'
import { createAutoSave, type SaveValue } from './auto-save.ts'

interface AutoSaved<Value> {
  value: Value
  /** The version of the record that `value` was read with; a save against an older one is refused. */
  version: number
  save: SaveValue<Value>
  /** From the last change to the save. */
  delayMs: 1000 | 500
  isSame?: (one: Value, other: Value) => boolean
}

/** A value of a cell that saves itself: what is shown, how the save stands, and how to change it. It survives a session that runs out. */
export const useAutoSaved = <Value>({ value, version, save, delayMs, isSame }: AutoSaved<Value>) => {
  const id = useId()
  const [cell] = useState(() =>
    createAutoSave<Value>({
      value,
      version,
      save: (draft, known) => withNewSession(() => save(draft, known)),
      delayMs,
      ...(isSame && { isSame }),
    }),
  )
  const state = useSyncExternalStore(cell.subscribe, cell.get)
  useUnsaved(`cell ${id}`, state.status === 'waiting' || state.status === 'saving' || state.status === 'failed')
  useEffect(() => cell.adopt(value, version), [cell, value, version])
  // Whoever turns the page has not taken back what they typed.
  useEffect(() => () => cell.flush(), [cell])
  return { ...state, change: cell.type, flush: cell.flush, retry: cell.retry, undo: cell.undo, settle: cell.settle }
}
