import { useEffect, useMemo, useState } from 'react'
import { type RowOutcome, type RowOutcomes, type SettleRows, withRemovedRows } from './row-outcome.ts'
import type { RowSelection } from './table-model.ts'

/** How long the outcomes stay if all rows succeeded. */
const allDoneMs = 4_000

interface Settled<Row> {
  marks: ReadonlyMap<string, RowOutcome>
  /** The page when the action started. */
  page: readonly Row[]
  /** All rows of the action, on any page. */
  all: readonly Row[]
  done: string
}

/** Counts of an action's outcomes. */
export interface OutcomeSummary {
  done: number
  failed: number
  /** 'moved to Accessioned' */
  text: string
  isOnlyFailed: boolean
  toggleFailed: () => void
  dismiss: () => void
}

/**
 * After a bulk action each row shows its outcome, even if it has left the list, and failed rows stay selected. The outcomes are cleared by
 * the next action, by another page, order or filter (`place`), and after a while if all succeeded.
 */
export const useRowOutcomes = <Row>(
  rows: readonly Row[] | undefined,
  rowId: (row: Row) => string,
  selection: RowSelection<Row>,
  place: unknown,
) => {
  const [settled, setSettled] = useState<Settled<Row> | null>(null)
  const [isOnlyFailed, setOnlyFailed] = useState(false)
  const dismiss = () => {
    setSettled(null)
    setOnlyFailed(false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is the reason, not an input
  useEffect(dismiss, [place])
  const failed = settled ? [...settled.marks.values()].filter(({ isDone }) => !isDone).length : 0
  useEffect(() => {
    if (!settled || failed > 0) return
    const timer = setTimeout(() => setSettled(null), allDoneMs)
    return () => clearTimeout(timer)
  }, [settled, failed])

  const settle: SettleRows<Row> = (outcomeOf, { done = 'done', ticked = 'failed' } = {}) => {
    const marks = new Map<string, RowOutcome>()
    for (const row of selection.rows) {
      const outcome = outcomeOf(row)
      if (outcome) marks.set(rowId(row), outcome)
    }
    selection.keep((row) => ticked === 'all' || (ticked === 'failed' && marks.get(rowId(row))?.isDone === false))
    setSettled(marks.size > 0 ? { marks, page: rows ?? [], all: selection.rows, done } : null)
    setOnlyFailed(false)
  }

  const outcomes = useMemo<RowOutcomes<Row> | undefined>(() => {
    if (!settled) return undefined
    const here = new Set(rows?.map(rowId))
    const wasHere = new Set(settled.page.map(rowId))
    return {
      of: (row) => settled.marks.get(rowId(row)),
      // A row of another page may still be in the list.
      isGone: (row) => !here.has(rowId(row)) && wasHere.has(rowId(row)),
    }
  }, [settled, rows, rowId])
  const shown = useMemo(() => {
    if (!settled || !rows || !outcomes) return rows
    if (isOnlyFailed) return settled.all.filter((row) => outcomes.of(row)?.isDone === false)
    return withRemovedRows(rows, settled.page, rowId, (row) => outcomes.of(row) !== undefined)
  }, [settled, rows, rowId, outcomes, isOnlyFailed])
  const summary: OutcomeSummary | undefined = settled
    ? {
        done: settled.all.length - failed,
        failed,
        text: settled.done,
        isOnlyFailed,
        toggleFailed: () => setOnlyFailed((before) => !before),
        dismiss,
      }
    : undefined
  return { rows: shown, outcomes, settle, summary }
}
