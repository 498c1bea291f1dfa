import { formatFilter } from '@lis/contract/kit/list-query.ts'
import { type LookupName, lookups } from '@lis/contract/lookups.ts'

/** What narrows a lookup: path parameters; the rest are filters. */
export type LookupParams = Record<string, string | number | readonly (string | number)[]>

const searchPageSize = 25

/** Lookups that are too long to load completely, with the filter that searches them. */
export const searchFilters: Partial<Record<LookupName, string>> = {
  icds: 'q',
  collaborators: 'search',
  sales: 'search',
  clients: 'search',
  physicians: 'search',
  filterClients: 'search',
  filterPhysicians: 'search',
}

/** The request: the path with its parameters, and the rest as filters. */
export const lookupRequest = (name: LookupName, params: LookupParams, search?: string) => {
  const rest = new Map(Object.entries(params))
  const path = lookups[name].path.replace(/:(\w+)/g, (_, part: string) => {
    const value = rest.get(part)
    rest.delete(part)
    return encodeURIComponent(String(value ?? ''))
  })
  const searchFilter = searchFilters[name]
  if (search && searchFilter) rest.set(searchFilter, search)
  const filters = [...rest].map(([field, value]) => [
    field,
    Array.isArray(value) ? value.map(String) : String(value),
  ]) as [string, string | string[]][]
  return {
    path,
    query: {
      perPage: search === undefined ? -1 : searchPageSize,
      ...(filters.length > 0 && { filter: formatFilter(Object.fromEntries(filters)) }),
    },
  }
}
