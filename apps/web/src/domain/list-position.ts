import { requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import type { ApiView } from '@lis/contract/requisitions/views.ts'
import type { QueryClient } from '@tanstack/react-query'
import { type ListAddress, type ListDefaults, readListAddress, toListQuery } from '../lib/list-address.ts'
import { sessionStore } from '../lib/session.ts'
import { readList } from '../ui/table/read-list.ts'
import { knownIds, type ListPosition, type Page, rowsAfter, rowsBefore } from './list-steps.ts'

/** Defaults of the requisition lists (TABLE-G1). */
export const requisitionDefaults: ListDefaults = { perPage: 25, perPageOptions: [25, 50, 75, 100] }

const key = 'requisition list'
const currentUserId = () => sessionStore.get()?.access.userId

/** Stored for this browser tab, so that it survives a reload. */
export const rememberList = (position: ListPosition) =>
  sessionStorage.setItem(key, JSON.stringify({ ...position, userId: currentUserId() }))

/** Undefined if the requisition was not opened from a list, or by another user. */
export const recallList = (requisitionId: number): ListPosition | undefined => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as (ListPosition & { userId?: number }) | null
    return kept && kept.userId === currentUserId() && knownIds(kept).includes(requisitionId) ? kept : undefined
  } catch {
    return undefined
  }
}

/** The list of an address, from the query cache; nothing is requested. */
export const cachedList = (client: QueryClient, view: ApiView, search: string): ListPosition | undefined => {
  const address = readListAddress(new URLSearchParams(search), requisitionDefaults)
  const found = client.getQueryData(listOf(view, address).queryKey)
  return found && positionOf(view, search, address, found)
}

/** The list with further rows read before or after the known ones; undefined if there are none. */
export const readMoreRows = (client: QueryClient, list: ListPosition, by: 1 | -1) => {
  const address = readListAddress(new URLSearchParams(list.search), requisitionDefaults)
  const readPage = async (page: number): Promise<Page> => {
    const { data, total } = await client.fetchQuery({ ...listOf(list.view, { ...address, page }), staleTime: 0 })
    return { ids: data.map(({ id }) => id), total }
  }
  return by === 1 ? rowsAfter(list, readPage) : rowsBefore(list, readPage)
}

const listOf = (view: ApiView, address: ListAddress) =>
  readList<{ id: number }>(requisitionListRoutes.list, { view }, toListQuery(address))

const positionOf = (
  view: ApiView,
  search: string,
  { page, perPage }: ListAddress,
  { data, total }: { data: readonly { id: number }[]; total: number },
): ListPosition => ({
  view,
  search,
  perPage,
  total,
  before: (page - 1) * perPage,
  runs: [{ page, ids: data.map(({ id }) => id) }],
})
