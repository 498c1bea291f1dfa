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

/** What the store of a requisition needs of the table in which it stands at the moment, or stood last. */
interface Place {
  save: Save
  /** As they were read last; a filter may hide them meanwhile. */
  rows: Map<number, ReqTest>
  isShown: boolean
}

interface Typed {
  store: ResultGridStore
  place: Place
}

/**
 * What is typed and not stored, by requisition. It outlives its table: whoever closes the row, sorts the list or filters the tests finds
 * it again, with its question or its failure.
 */
const typedResults = new Map<number, Typed>()

const openTyped = (requisitionId: number, place: Place): Typed => {
  const store = createGridStore({
    save: async (reqTests) => {
      try {
        await place.save({ params: { id: requisitionId }, body: { reqTests } })
      } catch (error) {
        if (place.isShown) announce(error)
        else tellUnseen(requisitionId, place, error, reqTests)
        // Somebody else was first, or the requisition has gone on: what is on screen is not what stands there, and would be typed over again.
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
    if (isUnsaved === (typedResults.get(requisitionId) === opened)) return
    if (isUnsaved) {
      typedResults.set(requisitionId, opened)
      const words = () =>
        place.isShown ? 'What you typed is not saved.' : `Results that you typed in #${requisitionId} are not saved.`
      unsaved.add(key, words, store.giveUp)
    } else {
      typedResults.delete(requisitionId)
      unsaved.remove(key)
    }
  })
  return opened
}

/** Saves results; where the last one has moved the requisition on, says so and offers the way back. */
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
      // What went wrong has been announced.
      action: { label: 'Undo', run: () => void undo({ params: { id }, body: {} }).catch(() => undefined) },
    })
  }
}

/** The unsaved side of a grid, tied to the server; what is typed survives a session that runs out, and leaving asks first. */
export const useResultGrid = (requisitionId: number, rows: readonly ReqTest[]) => {
  const save = useSaveResults()
  const [{ store, place }] = useState(
    () => typedResults.get(requisitionId) ?? openTyped(requisitionId, { save, rows: new Map(), isShown: true }),
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
      if (store.isStuck()) tellStuck(requisitionId, place, store.get())
      void store.flush()
    }
  }, [store, place, requisitionId])
  return { store, cells }
}

const notSaved = (requisitionId: number, said: string) =>
  events.emit('notice', { type: 'warning', message: `Not saved in #${requisitionId}: ${said}` })

/** The cells that would ask or show the failure are out of sight. */
const tellUnseen = (requisitionId: number, { rows }: Place, error: unknown, sent: readonly GridEntry[]) => {
  const codes = sent.map(({ reqTestId }) => rows.get(reqTestId)?.testCode)
  const problems = problemsOf(error).map(({ message }) => message)
  notSaved(requisitionId, problems.join('; ') || `${codes.join(', ')}. ${(error as Error).message}`)
}

const tellStuck = (requisitionId: number, { rows }: Place, cells: ReadonlyMap<number, GridCell>) => {
  const typed = [...cells].filter(([, { status }]) => status !== 'saved')
  const words = typed.map(([id, { text }]) => `${rows.get(id)?.testCode} ${text}`)
  notSaved(requisitionId, `${words.join(', ')}. Open its tests again to go on.`)
}

/** A question stays in its cell; that another person was first must be said aloud, because `useSave` leaves conflicts to their dialog. */
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
