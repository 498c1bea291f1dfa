import { page } from '@lis/contract/kit/envelope.ts'
import { printListQuery } from '@lis/contract/kit/list-query.ts'
import { get } from '@lis/contract/kit/route.ts'
import { type SmartFilter, smartFilterRoutes } from '@lis/contract/smart-filters.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import type { SmartFilterEntry } from '../../lib/list-address.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { type ListRoute, type RouteParams, readList } from '../table/read-list.ts'

/** A view as it is stored. */
export type SavedView = SmartFilter

const perPage = 100
const countAgainMs = 60_000
const invalidates = [smartFilterRoutes.list.path]

/** The views that the person has saved for a screen, by name where one is given. */
export const useSavedViews = (screen: string, name: string) =>
  useQuery({
    ...read(smartFilterRoutes.list, {
      query: printListQuery({
        page: 1,
        perPage,
        filters: { smartScreen: screen, ...(name && { smartName: name }) },
        sort: null,
      }),
    }),
    placeholderData: keepPreviousData,
  })

export const useCreateView = () => useSave(smartFilterRoutes.create, { invalidates })
export const useRemoveView = () => useSave(smartFilterRoutes.remove, { invalidates, failure: 'error' })

/** Where the records of a screen are counted. */
export interface CountedList {
  route: ListRoute<unknown>
  params?: RouteParams | undefined
}

/** Most screens are named as their list's path; one that is not must say where its records are. */
export const listOfScreen = (screen: string): CountedList | undefined =>
  /^[a-z_]+$/.test(screen) ? { route: get(screen, { access: 'signedIn', reply: page(z.unknown()) }) } : undefined

const nowhere = get('', { access: 'signedIn', reply: page(z.unknown()) })

/** How many records a view holds now: the total of its list, of which one row is asked for. */
export const useViewCount = (list: CountedList | undefined, entries: readonly SmartFilterEntry[], isSeen: boolean) => {
  const filters = Object.fromEntries(entries.map(({ id, value }) => [id, value]))
  const { data, isError } = useQuery({
    ...readList(list?.route ?? nowhere, list?.params, { page: 1, perPage: 1, filters, sort: null }),
    enabled: isSeen && list !== undefined,
    refetchInterval: countAgainMs,
  })
  return { total: data?.total, isError }
}
