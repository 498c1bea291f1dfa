import { messages } from '@lis/contract/messages.ts'
import { type ReqTest, type ResultProblem, reqTestRoutes, resultProblems } from '@lis/contract/requisition-tests.ts'
import { requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import { canModifyTest, displayStatus, isStatusCode, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'
import { queryClient } from '../../lib/query.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { useSave } from '../../lib/use-save.ts'
import { createGridStore, type GridCell, type GridEntry, type ResultGridStore } from './grid-store.ts'

const problemsOf = (error: unknown): readonly ResultProblem[] => {
  const read = resultProblems.safeParse(error instanceof ApiError ? error.current : undefined)
  return read.success ? read.data.problems : []
}

type Save = (input: { params: { id: number }; body: { reqTests: GridEntry[] } }) => Promise<unknown>

/** What a store needs from the table that shows it, or showed it last. */
interface GridContext {
  save: Save
  /** As read last; a filter may hide them meanwhile. */
  rows: Map<number, ReqTest>
  isShown: boolean
}

interface OpenGrid {
  store: ResultGridStore
  place: GridContext
}

/**
 * Unsaved input by requisition. It outlives its table: after closing the row, sorting the list or filtering the tests, it is still there
 * with its question or error.
 */
const openGrids = new Map<number, OpenGrid>()

const openGrid = (requisitionId: number, place: GridContext): OpenGrid => {
  const store = createGridStore({
    save: async (reqTests) => {
      try {
        await place.save({ params: { id: requisitionId }, body: { reqTests } })
      } catch (error) {
        if (place.isShown) announce(error)
        else announceHidden(requisitionId, place, error, reqTests)
        // Another user saved first, or the requisition has moved on: refresh the screen, or outdated values would be overwritten again.
        if (problemsOf(error).some(({ kind }) => kind !== 'doubtful')) void queryClient.invalidateQueries()
        throw error
      }
    },
    problemsOf,
    versionOf: (reqTestId) => place.rows.get(reqTestId)?.version,
    unitsOf: (reqTestId) => place.rows.get(reqTestId)?.units,
  })
  const opened = { store, place }
  const key = `results ${requisitionId}`
  store.subscribe(() => {
    const isUnsaved = [...store.get().values()].some(({ status }) => status !== 'saved')
    if (isUnsaved === (openGrids.get(requisitionId) === opened)) return
    if (isUnsaved) {
      openGrids.set(requisitionId, opened)
      const words = () =>
        place.isShown ? 'What you typed is not saved.' : `Results that you typed in #${requisitionId} are not saved.`
      unsaved.add(key, words, store.giveUp)
    } else {
      openGrids.delete(requisitionId)
      unsaved.remove(key)
    }
  })
  return opened
}

/** Saves results; if the last one moved the requisition on, says so and offers to undo that. */
const useSaveResults = (): Save => {
  const save = useSave(reqTestRoutes.saveResults, { isSilent: true })
  const undo = useSave(requisitionMoveRoutes.undoResulted)
  return async (input) => {
    const { data, message } = await save(input)
    const { id } = input.params
    const isMoved = isStatusCode(data.reqStatusCode) && !canModifyTest(data.reqStatusCode)
    if (!isMoved) return events.emit('notice', { type: 'info', message })
    events.emit('notice', {
      type: 'success',
      message: `${message}. Every test of #${id} has its result: it is now ${displayStatus(data.reqStatusCode as StatusCode)}.`,
      // The error has been announced.
      action: { label: 'Undo', run: () => void undo({ params: { id }, body: {} }).catch(() => undefined) },
    })
  }
}

/** The unsaved input of a grid, connected to the server; it survives an expired session, and leaving the page asks first. */
export const useResultGrid = (requisitionId: number, rows: readonly ReqTest[]) => {
  const save = useSaveResults()
  const [{ store, place }] = useState(
    () => openGrids.get(requisitionId) ?? openGrid(requisitionId, { save, rows: new Map(), isShown: true }),
  )
  place.save = save
  for (const row of rows) place.rows.set(row.id, row)
  const cells = useSyncExternalStore(store.subscribe, store.get)
  useEffect(() => {
    place.isShown = true
    const stop = unsaved.addSender(store.flush)
    return () => {
      stop()
      place.isShown = false
      if (store.isStuck()) announceStuck(requisitionId, place, store.get())
      void store.flush()
    }
  }, [store, place, requisitionId])
  return { store, cells }
}

const notSaved = (requisitionId: number, said: string) =>
  events.emit('notice', { type: 'warning', message: `Not saved in #${requisitionId}: ${said}` })

/** The cells that would show the question or the error are not visible. */
const announceHidden = (requisitionId: number, { rows }: GridContext, error: unknown, sent: readonly GridEntry[]) => {
  const codes = sent.map(({ reqTestId }) => rows.get(reqTestId)?.testCode)
  const problems = problemsOf(error).map(({ message }) => message)
  notSaved(requisitionId, problems.join('; ') || `${codes.join(', ')}. ${(error as Error).message}`)
}

const announceStuck = (requisitionId: number, { rows }: GridContext, cells: ReadonlyMap<number, GridCell>) => {
  const typed = [...cells].filter(([, { status }]) => status !== 'saved')
  const words = typed.map(([id, { text }]) => `${rows.get(id)?.testCode} ${text}`)
  notSaved(requisitionId, `${words.join(', ')}. Open its tests again to go on.`)
}

/** A question stays in its cell; a conflict must be announced here, because `useSave` leaves conflicts to their dialog. */
const announce = (error: unknown) => {
  if (!(error instanceof ApiError) || error.status !== 409) return
  const refused = problemsOf(error).filter(({ kind }) => kind !== 'doubtful')
  if (refused.length > 0) {
    events.emit('notice', {
      type: 'warning',
      message: refused.map(({ message }) => message).join('; ') || messages.responseWithoutMessage,
    })
  }
}
