import { type DecidedItems, instrumentResultRoutes, type ReviewResult } from '@lis/contract/instrument-results.ts'
import { undoRoutes } from '@lis/contract/undo.ts'
import { useState } from 'react'
import { events } from '../../lib/events.ts'
import { useSave } from '../../lib/use-save.ts'
import { callOf, type Deciding, words } from './decide-dialog.tsx'

interface Asked {
  deciding: Deciding
  rows: readonly ReviewResult[]
  reasonWanted: string | null
}

const options = { isSilent: true, isImmediate: true } as const

/** Accepts, reruns or rejects; asks for a reason and shows a dry run where one is needed. */
export const useDecide = (onDone: (ids: readonly number[]) => void) => {
  const save = {
    accept: useSave(instrumentResultRoutes.accept, options),
    rerun: useSave(instrumentResultRoutes.rerun, options),
    reject: useSave(instrumentResultRoutes.reject, options),
  }
  const [asked, setAsked] = useState<Asked | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [undoId, setUndoId] = useState<number>()
  const undo = useSave(undoRoutes.undo)

  const send = async (deciding: Deciding, rows: readonly ReviewResult[], reason: string) => {
    setBusy(true)
    try {
      const items = rows.map(({ id, version }) => ({ id, version }))
      const { data, undoId: undoneBy } = await save[callOf(deciding)]({ body: { items, reason, dryRun: false } })
      const wanting = data.refused.find(({ code }) => code === 'reason')
      if (data.done.length > 0 || !wanting) tell(deciding, data)
      setAsked(
        wanting && reason === '' ? { deciding, rows: refusedOf(rows, data), reasonWanted: wanting.message } : null,
      )
      if (data.done.length > 0) setUndoId(undoneBy)
      onDone(data.done)
    } catch {
      // It has been announced.
    } finally {
      setBusy(false)
    }
  }

  return {
    asked,
    isBusy,
    close: () => setAsked(null),
    /** Undoes the last decision of this visit; the server says why it cannot. */
    undo: () => {
      if (undoId === undefined || isBusy) return
      setUndoId(undefined)
      // The failure has been announced.
      undo({ params: { id: undoId } }).catch(() => undefined)
    },
    decide: (deciding: Deciding, rows: readonly ReviewResult[]) => {
      if (rows.length === 0 || isBusy) return
      if (deciding === 'accept' && rows.length === 1) void send(deciding, rows, '')
      else setAsked({ deciding, rows, reasonWanted: null })
    },
    confirm: async (reason: string) => {
      if (asked) await send(asked.deciding, asked.rows, reason)
    },
  }
}

const refusedOf = (rows: readonly ReviewResult[], { refused }: DecidedItems) =>
  rows.filter(({ id }) => refused.some((one) => one.id === id && one.code === 'reason'))

const tell = (deciding: Deciding, { done, refused }: DecidedItems) => {
  const what = `${done.length === 1 ? '1 result' : `${done.length} results`} ${words[deciding][2]}`
  if (refused.length === 0) return events.emit('notice', { type: 'info', message: what })
  const why = refused[0]?.message ?? ''
  const message = done.length === 0 ? why : `${what}, ${refused.length} not: ${why}`
  events.emit('notice', { type: 'warning', message })
}
