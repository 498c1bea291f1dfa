import { messages } from '@lis/contract/messages.ts'
import { type ReqTest, type ResultProblem, reqTestRoutes, resultProblems } from '@lis/contract/requisition-tests.ts'
import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'
import { unsaved, useUnsaved } from '../../lib/unsaved.ts'
import { useSave } from '../../lib/use-save.ts'
import { createGridStore, type GridEntry } from './grid-store.ts'

const problemsOf = (error: unknown): readonly ResultProblem[] => {
  const read = resultProblems.safeParse(error instanceof ApiError ? error.current : undefined)
  return read.success ? read.data.problems : []
}

/** The unsaved side of a grid, tied to the server; what is typed survives a session that runs out, and leaving asks first. */
export const useResultGrid = (requisitionId: number, rows: readonly ReqTest[]) => {
  const id = useId()
  const save = useSave(reqTestRoutes.saveResults)
  const latest = useRef({ save, rows })
  latest.current = { save, rows }
  const isShown = useRef(true)
  const tellUnseen = (error: unknown, sent: readonly GridEntry[]) => {
    const isSent = ({ id: testId }: ReqTest) => sent.some(({ reqTestId }) => reqTestId === testId)
    const codes = latest.current.rows.filter(isSent).map(({ testCode }) => testCode)
    const said =
      problemsOf(error)
        .map(({ message }) => message)
        .join('; ') || `${codes.join(', ')}. ${(error as Error).message}`
    // The cells that would ask or show the failure are gone.
    events.emit('notice', { type: 'warning', message: `Not saved in #${requisitionId}: ${said}` })
  }
  const [store] = useState(() =>
    createGridStore({
      save: async (reqTests) => {
        try {
          await latest.current.save({ params: { id: requisitionId }, body: { reqTests } })
        } catch (error) {
          if (isShown.current) announce(error)
          else tellUnseen(error, reqTests)
          throw error
        }
      },
      problemsOf,
      versionOf: (reqTestId) => latest.current.rows.find((row) => row.id === reqTestId)?.version,
    }),
  )
  const cells = useSyncExternalStore(store.subscribe, store.get)
  useUnsaved(
    `results ${id}`,
    [...cells.values()].some(({ status }) => status !== 'saved'),
  )
  useEffect(() => {
    isShown.current = true
    const stop = unsaved.addSender(store.flush)
    return () => {
      stop()
      isShown.current = false
      void store.flush()
    }
  }, [store])
  return { store, cells }
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
