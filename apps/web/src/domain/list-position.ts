import { requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import type { ApiView } from '@lis/contract/requisitions/views.ts'
import type { QueryClient } from '@tanstack/react-query'
import { type ListAddress, type ListDefaults, readListAddress, toListQuery } from '../lib/list-address.ts'
import { sessionStore } from '../lib/session.ts'
import { readList } from '../ui/table/read-list.ts'

/** The lists of requisitions (TABLE-G1). */
export const requisitionDefaults: ListDefaults = { perPage: 25, perPageOptions: [25, 50, 75, 100] }

/** The list that a requisition was opened from, as it stood then: one works through it although rows leave it meanwhile. */
export interface ListPosition {
  view: ApiView
  /** The address of the list, to come back to. */
  search: string
  page: number
  perPage: number
  total: number
  /** The rows of the page. */
  ids: readonly number[]
}

const key = 'requisition list'
const reader = () => sessionStore.get()?.access.userId

/** Kept for this tab of the browser, so that it lives through every tab of the page and a reload. */
export const rememberList = (position: ListPosition) =>
  sessionStorage.setItem(key, JSON.stringify({ ...position, userId: reader() }))

/** Undefined when the requisition was not opened from a list, or by somebody else. */
export const recallList = (requisitionId: number): ListPosition | undefined => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as (ListPosition & { userId?: number }) | null
    return kept?.userId === reader() && kept?.ids.includes(requisitionId) ? kept : undefined
  } catch {
    return undefined
  }
}

/** The list of an address, from what is on the screen; nothing is asked for. */
export const shownList = (client: QueryClient, view: ApiView, search: string): ListPosition | undefined => {
  const address = readListAddress(new URLSearchParams(search), requisitionDefaults)
  const found = client.getQueryData(listOf(view, address).queryKey)
  return found && positionOf(view, search, address, found)
}

/** The page before or after it; undefined where there is none. */
export const turnPage = async (
  client: QueryClient,
  { view, search, page, perPage, total }: ListPosition,
  by: 1 | -1,
): Promise<ListPosition | undefined> => {
  const wanted = page + by
  if (wanted < 1 || (wanted - 1) * perPage >= total) return undefined
  const params = new URLSearchParams(search)
  params.set('page', String(wanted))
  const address = readListAddress(params, requisitionDefaults)
  const found = await client.fetchQuery(listOf(view, address))
  return found.data.length > 0 ? positionOf(view, `?${params}`, address, found) : undefined
}

const listOf = (view: ApiView, address: ListAddress) =>
  readList<{ id: number }>(requisitionListRoutes.list, { view }, toListQuery(address))

const positionOf = (
  view: ApiView,
  search: string,
  { page, perPage }: ListAddress,
  { data, total }: { data: readonly { id: number }[]; total: number },
): ListPosition => ({ view, search, page, perPage, total, ids: data.map(({ id }) => id) })
