/** What became of a row with which something was done. */
export interface RowOutcome {
  isDone: boolean
  /** 'Moved to Accessioned', or why not. */
  text: string
  /** The way to where it is mended. */
  mend?: { label: string; href: string } | undefined
}

export interface SettleOptions {
  /** 'moved to Accessioned': said of those with which it went well. */
  done?: string
  /** Which rows stay ticked: those with which it failed, so that they can be mended, unless told otherwise. */
  ticked?: 'failed' | 'all' | 'none'
}

/** An action on ticked rows tells what became of each; a row of which it says nothing is not marked. */
export type SettleRows<Row> = (outcomeOf: (row: Row) => RowOutcome | undefined, options?: SettleOptions) => void

/** The marks of the rows after an action, as a table shows them. */
export interface RowOutcomes<Row> {
  of: (row: Row) => RowOutcome | undefined
  /** It is in this list no more and is shown for its mark alone. */
  isGone: (row: Row) => boolean
}

/** The rows of the list as it is now, and those that have left it since, each where it stood. */
export const withLeft = <Row>(
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
