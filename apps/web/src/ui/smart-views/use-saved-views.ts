import { page } from '@lis/contract/kit/envelope.ts'
import { formatListQuery } from '@lis/contract/kit/list-query.ts'
import { get } from '@lis/contract/kit/route.ts'
import { listSettingsRoutes } from '@lis/contract/list-settings.ts'
import { type SmartFilter, smartFilterRoutes } from '@lis/contract/smart-filters.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import type { SmartFilterEntry } from '../../lib/list-address.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { type ListRoute, type RouteParams, readList } from '../table/read-list.ts'

/** A stored view. */
export type SavedView = SmartFilter

const perPage = 100
const countAgainMs = 60_000
const invalidates = [smartFilterRoutes.list.path, listSettingsRoutes.all.path]

/** The user's saved views of a screen, optionally by name. */
export const useSavedViews = (screen: string, name: string) =>
  useQuery({
    ...read(smartFilterRoutes.list, {
      query: formatListQuery({
        page: 1,
        perPage,
        filters: { smartScreen: screen, ...(name && { smartName: name }) },
        sort: null,
      }),
    }),
    placeholderData: keepPreviousData,
  })

export const useCreateView = () => useSave(smartFilterRoutes.create, { invalidates })
export const useUpdateView = () => useSave(smartFilterRoutes.update, { invalidates, isImmediate: true })
export const useShareView = () => useSave(smartFilterRoutes.share, { invalidates })
export const useChooseView = () => useSave(smartFilterRoutes.choose, { invalidates, isSilent: true })
export const useRemoveView = () => useSave(smartFilterRoutes.remove, { invalidates, failure: 'error' })

/** The list in which a screen's records are counted. */
export interface CountedList {
  route: ListRoute<unknown>
  params?: RouteParams | undefined
}

/** Most screens are named after their list's path; others must pass a list. */
export const defaultListOf = (screen: string): CountedList | undefined =>
  /^[a-z_]+$/.test(screen) ? { route: get(screen, { access: 'signedIn', reply: page(z.unknown()) }) } : undefined

const noRoute = get('', { access: 'signedIn', reply: page(z.unknown()) })

/** The current number of records of a view: the total of its list, requested with one row. */
export const useViewCount = (list: CountedList | undefined, entries: readonly SmartFilterEntry[], isSeen: boolean) => {
  const filters = Object.fromEntries(entries.map(({ id, value }) => [id, value]))
  const { data, isError } = useQuery({
    ...readList(list?.route ?? noRoute, list?.params, { page: 1, perPage: 1, filters, sort: null }),
    enabled: isSeen && list !== undefined,
    refetchInterval: countAgainMs,
  })
  return { total: data?.total, isError }
}
