import type { ApiView } from '@lis/contract/requisitions/views.ts'
import { writeListAddress } from '../lib/list-address.ts'

/** Consecutive rows, and the page of the list that they were read from. */
interface Run {
  page: number
  ids: readonly number[]
}

/** The list that a requisition was opened from, as it was then: the user steps through it although rows leave it meanwhile. */
export interface ListPosition {
  view: ApiView
  /** The query string of the list. */
  search: string
  perPage: number
  total: number
  /** How many rows were before the known ones. */
  before: number
  /** The known rows in order: those of the page the user came from, and those read since. */
  runs: readonly Run[]
}

export const knownIds = ({ runs }: Pick<ListPosition, 'runs'>): number[] => runs.flatMap(({ ids }) => ids)

/** The address of the list, on the page where the requisition was read. */
export const listAddressOf = ({ search, runs }: ListPosition, requisitionId: number): string => {
  const page = runs.find(({ ids }) => ids.includes(requisitionId))?.page ?? 1
  const params = writeListAddress(new URLSearchParams(search), { page })
  return params.size > 0 ? `?${params}` : ''
}

const readAheadFrom = 3

/**
 * Whether to read the rows after the known ones: as long as the last known rows are still in the list, they show the position. Once all of
 * them have left, nothing does.
 */
export const isNearEnd = (list: ListPosition, requisitionId: number): boolean => {
  const ids = knownIds(list)
  return list.before + ids.length < list.total && ids.indexOf(requisitionId) >= ids.length - readAheadFrom
}

export interface Page {
  ids: readonly number[]
  total: number
}
type ReadPage = (page: number) => Promise<Page>

/** Rows that left and rows that arrived cancel out in the length of the list: search this many further pages. */
const extraPages = 4

/**
 * The current position of the known rows: `first` and `last` of them on the page where some are found, or the position where they would be
 * had they not left the list. Rows before them may have left or arrived, which shifts them, most likely by the change in length.
 */
const findKnownRows = async (list: ListPosition, known: ReadonlySet<number>, own: number, readPage: ReadPage) => {
  const { total } = await readPage(own)
  const gone = list.total - total
  const pageAt = (place: number) => Math.max(Math.floor(place / list.perPage) + 1, 1)
  const top = gone > 0 ? Math.min(pageAt(list.before - gone), own) : own
  const bottom = gone < 0 ? own + Math.ceil(-gone / list.perPage) : own
  const last = pageAt(total - 1)
  const pages = [
    ...range(top, own).reverse(),
    ...range(own + 1, bottom),
    ...range(Math.max(top - extraPages, 1), top - 1).reverse(),
    ...range(bottom + 1, Math.min(bottom + extraPages, last)),
  ]
  for (const page of pages) {
    const { ids } = await readPage(page)
    const first = ids.findIndex((id) => known.has(id))
    if (first >= 0) return { page, first, last: ids.findLastIndex((id) => known.has(id)) }
  }
  // All of them have left; further missing rows may have been before them. Showing a row again is better than skipping one.
  const place = Math.max(list.before - Math.max(gone - known.size, 0), 0)
  const first = place % list.perPage
  return { page: pageAt(place), first, last: first - 1 }
}

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) => from + index)

/** Reads each page once per step. */
const cachePages = (readPage: ReadPage): ReadPage => {
  const pages = new Map<number, Promise<Page>>()
  return (page) => {
    const found = pages.get(page) ?? readPage(page)
    pages.set(page, found)
    return found
  }
}

/** The rows that now follow the known ones. Finished rows have left the list, and the rows after them have moved up. */
export const rowsAfter = async (list: ListPosition, read: ReadPage): Promise<ListPosition | undefined> => {
  const readPage = cachePages(read)
  const known = new Set(knownIds(list))
  const at = await findKnownRows(list, known, list.runs.at(-1)?.page ?? 1, readPage)
  for (let { page, last } = at; ; page++, last = -1) {
    const { ids, total } = await readPage(page)
    const found = ids.slice(last + 1).filter((id) => !known.has(id))
    if (found.length > 0) {
      // Rows that have arrived since make the list longer.
      const further = Math.max(total - page * list.perPage, 0)
      const atLeast = list.before + known.size + found.length + further
      return { ...list, total: Math.max(list.total, atLeast), runs: [...list.runs, { page, ids: found }] }
    }
    if (page * list.perPage >= total) return undefined
  }
}

/** The rows that are now before the known ones. */
export const rowsBefore = async (list: ListPosition, read: ReadPage): Promise<ListPosition | undefined> => {
  const readPage = cachePages(read)
  const known = new Set(knownIds(list))
  const at = await findKnownRows(list, known, list.runs[0]?.page ?? 1, readPage)
  for (let page = at.page; page >= 1; page--) {
    const { ids } = await readPage(page)
    const found = (page === at.page ? ids.slice(0, at.first) : ids).filter((id) => !known.has(id))
    if (found.length > 0) {
      const before = Math.max(list.before - found.length, (page - 1) * list.perPage)
      const total = list.total + before + found.length - list.before
      return { ...list, before, total, runs: [{ page, ids: found }, ...list.runs] }
    }
  }
  return undefined
}
