/** The outcome of an action for one row. */
export interface RowOutcome {
  isDone: boolean
  /** 'Moved to Accessioned', or why not. */
  text: string
  /** Link to where the problem can be fixed. */
  fixLink?: { label: string; href: string } | undefined
}

interface SettleOptions {
  /** 'moved to Accessioned': describes the successful rows. */
  done?: string
  /** Which rows stay selected: by default those that failed, so that they can be fixed. */
  ticked?: 'failed' | 'all' | 'none'
}

/** Reports the outcome of each selected row; a row without an outcome is not marked. */
export type SettleRows<Row> = (outcomeOf: (row: Row) => RowOutcome | undefined, options?: SettleOptions) => void

/** The outcomes of the rows after an action. */
export interface RowOutcomes<Row> {
  of: (row: Row) => RowOutcome | undefined
  /** The row has left the list and is shown only for its outcome. */
  isGone: (row: Row) => boolean
}

/** The current rows of the list, and those that have left it since, each at its former position. */
export const withRemovedRows = <Row>(
  now: readonly Row[],
  before: readonly Row[],
  rowId: (row: Row) => string,
  isMarked: (row: Row) => boolean,
): readonly Row[] => {
  const here = new Set(now.map(rowId))
  const leftAfter = new Map<string | null, Row[]>()
  let place: string | null = null
  for (const row of before) {
    if (here.has(rowId(row))) place = rowId(row)
    else if (isMarked(row)) leftAfter.set(place, [...(leftAfter.get(place) ?? []), row])
  }
  if (leftAfter.size === 0) return now
  return [...(leftAfter.get(null) ?? []), ...now.flatMap((row) => [row, ...(leftAfter.get(rowId(row)) ?? [])])]
}
