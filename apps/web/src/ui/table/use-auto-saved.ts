import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { events } from '../../lib/events.ts'
import { unsaved, useUnsaved } from '../../lib/unsaved.ts'
import { needsNotice, retryAfterSignIn } from '../../lib/use-save.ts'
import { createAutoSave, type SaveValue } from './auto-save.ts'

interface AutoSaved<Value> {
  /** Names the cell where it is not in view: 'Pass Codes of #1000123'. */
  label: string
  value: Value
  /** The version of the record that `value` was read with; a save against an older one is refused. */
  version: number
  save: SaveValue<Value>
  /** From the last change to the save. */
  delayMs: 1000 | 500
  isSame?: (one: Value, other: Value) => boolean
}

/** A value of a cell that saves itself: what is shown, how the save stands, and how to change it. It survives a session that runs out. */
export const useAutoSaved = <Value>({ label, value, version, save, delayMs, isSame }: AutoSaved<Value>) => {
  const id = useId()
  const isShown = useRef(true)
  const [cell] = useState(() =>
    createAutoSave<Value>({
      value,
      version,
      save: async (draft, known) => {
        try {
          return await retryAfterSignIn(() => save(draft, known))
        } catch (error) {
          if (needsNotice(error)) tell(isShown.current ? '' : `Not saved: ${label}. `, error as Error)
          throw error
        }
      },
      delayMs,
      ...(isSame && { isSame }),
    }),
  )
  const state = useSyncExternalStore(cell.subscribe, cell.get)
  useUnsaved(`cell ${id}`, state.status === 'waiting' || state.status === 'saving' || state.status === 'failed')
  useEffect(() => cell.adopt(value, version), [cell, value, version])
  useEffect(() => {
    isShown.current = true
    const stop = unsaved.addSender(cell.flush)
    return () => {
      stop()
      isShown.current = false
      // Whoever turns the page has not taken back what they typed.
      void cell.flush()
    }
  }, [cell])
  return { ...state, change: cell.type, flush: cell.flush, retry: cell.retry, undo: cell.undo, settle: cell.settle }
}

/** Besides the mark in the cell (TABLE-132); named where the cell is gone. */
const tell = (name: string, error: Error) =>
  events.emit('notice', { type: 'warning', message: name + error.message, cause: error })
