import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { events } from '../../lib/events.ts'
import { unsaved, useUnsaved } from '../../lib/unsaved.ts'
import { needsNotice, retryAfterSignIn } from '../../lib/use-save.ts'
import { createAutoSave, type SaveStatus, type SaveValue } from './auto-save.ts'

interface AutoSaveCell<Value> {
  /** Names the cell in messages: 'Pass Codes of #1000123'. */
  label: string
  value: Value
  /** The version of the record that `value` was read with; a save with an older one is refused. */
  version: number
  save: SaveValue<Value>
  /** Delay from the last change to the save. */
  delayMs: 1000 | 500
  isSame?: (one: Value, other: Value) => boolean
}

/** An auto-saved cell value: what is shown, its save status, and how to change it. Survives an expired session. */
export const useAutoSave = <Value>({ label, value, version, save, delayMs, isSame }: AutoSaveCell<Value>) => {
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
          if (needsNotice(error)) announce(isShown.current ? '' : `Not saved: ${label}. `, error as Error)
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
      // Changing the page must not discard input.
      if (isPending(cell.get())) sendUnseen(`cell ${id}, out of view`, cell.flush)
    }
  }, [cell, id])
  useUnsaved(`cell ${id}`, isPending(state) || state.status === 'failed')
  return { ...state, change: cell.type, flush: cell.flush, retry: cell.retry, undo: cell.undo, settle: cell.settle }
}

const isPending = ({ status }: { status: SaveStatus }) => status === 'waiting' || status === 'saving'

/** A value counts as unsaved until its request is done, even when its cell is gone: an expired session is then renewed in place. */
const sendUnseen = (key: string, send: () => Promise<void>) => {
  unsaved.add(key)
  unsaved.setSending(key, true)
  void send().finally(() => unsaved.remove(key))
}

/** Besides the mark in the cell (TABLE-132); with the cell's name if it is no longer visible. */
const announce = (name: string, error: Error) =>
  events.emit('notice', { type: 'warning', message: name + error.message, cause: error })
