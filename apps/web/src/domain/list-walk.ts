import type { ApiView } from '@lis/contract/requisitions/views.ts'
import { writeListAddress } from '../lib/list-address.ts'

/** Rows that follow each other, and the page of the list that they were read from. */
interface Run {
  page: number
  ids: readonly number[]
}

/** The list that a requisition was opened from, as it stood then: one works through it although rows leave it meanwhile. */
export interface ListPosition {
  view: ApiView
  /** The address of the list. */
  search: string
  perPage: number
  total: number
  /** How many rows stood before the known ones. */
  before: number
  /** The known rows in their order: those of the page one came from, and what has been read beyond it. */
  runs: readonly Run[]
}

export const knownIds = ({ runs }: Pick<ListPosition, 'runs'>): number[] => runs.flatMap(({ ids }) => ids)

/** The way back to the list, on the page where the requisition was read. */
export const addressOf = ({ search, runs }: ListPosition, requisitionId: number): string => {
  const page = runs.find(({ ids }) => ids.includes(requisitionId))?.page ?? 1
  const params = writeListAddress(new URLSearchParams(search), { page })
  return params.size > 0 ? `?${params}` : ''
}

export interface Page {
  ids: readonly number[]
  total: number
}
type ReadPage = (page: number) => Promise<Page>

/**
 * What follows the known rows now. Rows that were worked on have left the list, and what followed them has moved up to where they
 * stood; so it is looked for from their own page on. A row that came in between may be shown, but none is passed over.
 */
export const rowsAfter = async (list: ListPosition, readPage: ReadPage): Promise<ListPosition | undefined> => {
  const known = new Set(knownIds(list))
  const extended = (run: Run): ListPosition => ({ ...list, runs: [...list.runs, run] })
  const own = list.runs.at(-1)?.page ?? 1
  for (let page = own; ; page++) {
    const { ids, total } = await readPage(page)
    if (page === own && page > 1 && !ids.some((id) => known.has(id))) {
      // Rows before ours have left as well: ours may stand on the page before by now, and the next ones behind them.
      const above = (await readPage(page - 1)).ids
      const last = above.findLastIndex((id) => known.has(id))
      if (last >= 0 && last < above.length - 1) return extended({ page: page - 1, ids: above.slice(last + 1) })
    }
    const found = ids.filter((id) => !known.has(id))
    if (found.length > 0) return extended({ page, ids: found })
    if (page * list.perPage >= total) return undefined
  }
}

/** What stands before the known rows now: on their own page if others came in before them, else on the pages before. */
export const rowsBefore = async (list: ListPosition, readPage: ReadPage): Promise<ListPosition | undefined> => {
  const known = new Set(knownIds(list))
  const own = list.runs[0]?.page ?? 1
  for (let page = own; page >= 1; page--) {
    const { ids } = await readPage(page)
    const first = ids.findIndex((id) => known.has(id))
    // Their own page without any of them shows what followed them.
    const found = first >= 0 ? ids.slice(0, first) : page === own ? [] : ids
    if (found.length > 0)
      return { ...list, before: Math.max(list.before - found.length, 0), runs: [{ page, ids: found }, ...list.runs] }
  }
  return undefined
}
