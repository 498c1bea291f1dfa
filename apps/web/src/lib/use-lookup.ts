import { page } from '@lis/contract/kit/envelope.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import { type LookupName, lookups, type Option, toOption } from '@lis/contract/lookups.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from './api.ts'
import { type LookupParams, lookupRequest, searchFilters } from './lookup-request.ts'
import { queryClient } from './query.ts'

const searchDelayMs = 500

const lookupOptions = (name: LookupName, params: LookupParams, search?: string) => {
  const { path, query } = lookupRequest(name, params, search)
  return queryOptions({
    // Another key than reads of the same address, which cache the whole reply.
    queryKey: [path, 'options', query],
    queryFn: async ({ signal }): Promise<readonly Option[]> => {
      const route: Route = { method: 'GET', path, access: 'lookups.read', reply: page(lookups[name].row) }
      const { data } = (await call(route, { query, signal } as never)) as { data: Record<string, unknown>[] }
      return data.map((row) => toOption(lookups[name], row))
    },
    staleTime: 5 * 60_000,
  })
}

interface LookupResult {
  options: readonly Option[]
  isLoading: boolean
  error: Error | null
  retry: () => void
}

const none: readonly Option[] = []

/** A lookup as options; nothing is read without a name, or while its parameters are unknown (null). */
export const useLookup = (name: LookupName | undefined, params: LookupParams | null = {}): LookupResult => {
  const isEnabled = name !== undefined && params !== null
  const { data, isFetching, error, refetch } = useQuery({
    ...lookupOptions(name ?? 'countries', params ?? {}),
    enabled: isEnabled,
  })
  return { options: (isEnabled && data) || none, isLoading: isEnabled && isFetching && !data, error, retry: refetch }
}

/** The options that match a text, read once. */
export const readOptions = (name: LookupName, params: LookupParams, text: string): Promise<readonly Option[]> =>
  queryClient.fetchQuery(lookupOptions(name, params, searchFilters[name] === undefined ? undefined : text))

/** The options that match what is typed: long lists are searched on the server once typing pauses, short ones here. */
export const useLookupSearch = (
  name: LookupName | undefined,
  params: LookupParams | null,
  typed: string,
  isOpen: boolean,
): LookupResult & { isSearched: boolean } => {
  const isLong = name !== undefined && searchFilters[name] !== undefined
  const search = useDebounced(typed.trim(), searchDelayMs)
  const {
    data = none,
    isFetching,
    isPlaceholderData,
    error,
    refetch,
  } = useQuery({
    ...lookupOptions(name ?? 'countries', params ?? {}, isLong ? search : undefined),
    enabled: name !== undefined && params !== null && isOpen,
    placeholderData: keepPreviousData,
  })
  const isWaiting = isLong && search !== typed.trim()
  // Until the answer arrives, only matching options: an early Enter must not choose a result of the previous search.
  const options = isWaiting || (isLong && isPlaceholderData) ? matching(data, typed) : data
  return { options, isLoading: isFetching || isWaiting, error, retry: refetch, isSearched: isLong }
}

const matching = (options: readonly Option[], typed: string) => {
  const wanted = typed.trim().toLowerCase()
  return options.filter(({ label }) => label.toLowerCase().includes(wanted))
}

/**
 * The option of a stored value. A short lookup is loaded completely, as for its list; in a long one the value may not be on the first page.
 */
export const useChosenOption = (
  name: LookupName | undefined,
  params: LookupParams | null,
  value: string | number | null,
): Option | null => {
  const isLong = name !== undefined && searchFilters[name] !== undefined
  const { data } = useQuery({
    ...lookupOptions(name ?? 'countries', isLong ? { ...params, [lookups[name].value]: value ?? '' } : (params ?? {})),
    enabled: name !== undefined && value !== null && value !== '' && params !== null,
  })
  return data?.find((option) => option.value === value) ?? null
}

/** The option of a lookup that has exactly one. */
export const useOnlyOption = (name: LookupName | undefined, params: LookupParams | null): Option | null => {
  const isLong = name !== undefined && searchFilters[name] !== undefined
  const isEnabled = name !== undefined && params !== null
  // The same request as the open list, so that it is read once.
  const { data } = useQuery({
    ...lookupOptions(name ?? 'countries', params ?? {}, isLong ? '' : undefined),
    enabled: isEnabled,
  })
  return (isEnabled && data?.length === 1 && data[0]) || null
}

/** The options of several stored values. Filters do not apply: a stored value stays chosen. */
export const useChosenOptions = (
  name: LookupName | undefined,
  params: LookupParams | null,
  values: readonly (string | number)[],
): readonly Option[] => {
  const { path, value: key } = lookups[name ?? 'countries']
  const inPath = Object.entries(params ?? {}).filter(([part]) => path.includes(`:${part}`))
  const { data } = useQuery({
    ...lookupOptions(name ?? 'countries', { ...Object.fromEntries(inPath), [key]: values }),
    enabled: name !== undefined && values.length > 0 && params !== null,
  })
  return data ?? none
}

/** The value once it has not changed for `delayMs`. */
export const useDebounced = <T>(value: T, delayMs: number): T => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return settled
}
