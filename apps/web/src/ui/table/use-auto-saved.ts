import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { events } from '../../lib/events.ts'
import { unsaved, useUnsaved } from '../../lib/unsaved.ts'
import { isUnheard, withNewSession } from '../../lib/use-save.ts'
import { createAutoSave, type SaveStatus, type SaveValue } from './auto-save.ts'

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
          return await withNewSession(() => save(draft, known))
        } catch (error) {
          if (isUnheard(error)) tell(isShown.current ? '' : `Not saved: ${label}. `, error as Error)
          throw error
        }
      },
      delayMs,
      ...(isSame && { isSame }),
    }),
  )
  const state = useSyncExternalStore(cell.subscribe, cell.get)
  useEffect(() => cell.adopt(value, version), [cell, value, version])
  // Before `useUnsaved`, whose cleanup would otherwise leave a moment in which nothing is unsaved.
  useEffect(() => {
    isShown.current = true
    const stop = unsaved.addSender(cell.flush)
    return () => {
      stop()
      isShown.current = false
      // Whoever turns the page has not taken back what they typed.
      if (isPending(cell.get())) sendUnseen(`cell ${id}, out of view`, cell.flush)
    }
  }, [cell, id])
  useUnsaved(`cell ${id}`, isPending(state) || state.status === 'failed')
  return { ...state, change: cell.type, flush: cell.flush, retry: cell.retry, undo: cell.undo, settle: cell.settle }
}

const isPending = ({ status }: { status: SaveStatus }) => status === 'waiting' || status === 'saving'

/** What is on its way is unsaved until it has arrived, also when its cell is gone: a session that runs out is then renewed in place. */
const sendUnseen = (key: string, send: () => Promise<void>) => {
  unsaved.add(key)
  unsaved.setSending(key, true)
  void send().finally(() => unsaved.remove(key))
}

/** Besides the mark in the cell (TABLE-132); named where the cell is gone. */
const tell = (name: string, error: Error) =>
  events.emit('notice', { type: 'warning', message: name + error.message, cause: error })
