import { type FilterValue, formatSort, type ListQuery, parseSort, type Sort } from '@lis/contract/kit/list-query.ts'
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

/** One filter in the address: the field, its value, and the text shown to the user. */
export interface SmartFilterEntry {
  id: string
  value: FilterValue
  viewValue: string
}

/** The list state in the address. There is no other copy of it. */
export interface ListAddress {
  page: number
  perPage: number
  /** null is the default order. */
  sort: Sort | null
  filters: SmartFilterEntry[]
  /** `smartFilter` could not be parsed: nothing is filtered, and the page must say so. */
  isFilterBroken: boolean
}

export interface ListDefaults {
  perPage: number
  perPageOptions: readonly number[]
}

/** Changes; the rest stays. `params` are further parameters of the page (a status, a tab); null removes one. */
export interface ListChange {
  page?: number
  perPage?: number
  sort?: Sort | null
  filters?: readonly SmartFilterEntry[]
  params?: Record<string, string | null>
}

/** Every list except requisitions (TABLE-G1). */
export const listDefaults: ListDefaults = { perPage: 10, perPageOptions: [10, 25, 50, 75, 100] }

/** Parses the address; any input gives a list that can be shown. */
export const readListAddress = (params: URLSearchParams, defaults: ListDefaults): ListAddress => {
  const perPage = Number(params.get('perPage'))
  const filters = readFilters(params.get('smartFilter'))
  return {
    page: readPage(params.get('page')),
    perPage: defaults.perPageOptions.includes(perPage) ? perPage : defaults.perPage,
    sort: readSort(params.get('sort')),
    filters: filters ?? [],
    isFilterBroken: filters === null,
  }
}

/** The address after a change. A change of filter, page size or further parameters goes back to page 1. */
export const writeListAddress = (params: URLSearchParams, change: ListChange): URLSearchParams => {
  const next = new URLSearchParams(params)
  const put = (name: string, text: string | null) => (text ? next.set(name, text) : next.delete(name))
  const isOtherList = change.filters !== undefined || change.perPage !== undefined || change.params !== undefined
  const page = change.page ?? (isOtherList ? 1 : undefined)
  if (page !== undefined) put('page', page > 1 ? String(page) : null)
  if (change.perPage !== undefined) put('perPage', String(change.perPage))
  if (change.sort !== undefined) put('sort', formatSort(change.sort))
  if (change.filters !== undefined) put('smartFilter', printFilters(change.filters))
  for (const [name, text] of Object.entries(change.params ?? {})) put(name, text)
  return next
}

/** A correction replaces the history entry, or 'back' would return to the faulty one. */
export type ChangeList = (change: ListChange, options?: { isCorrection?: boolean }) => void

/** The list state in the address and a function to change it; each change is one history entry. */
export const useListAddress = (defaults: ListDefaults): [ListAddress, ChangeList] => {
  const [params, setParams] = useSearchParams()
  const address = useMemo(() => readListAddress(params, defaults), [params, defaults])
  const change: ChangeList = useCallback(
    (wanted, { isCorrection = false } = {}) =>
      setParams((before) => writeListAddress(before, wanted), { replace: isCorrection, preventScrollReset: true }),
    [setParams],
  )
  return [address, change]
}

/** The query for the server. */
export const toListQuery = ({ page, perPage, sort, filters }: ListAddress): ListQuery => ({
  page,
  perPage,
  sort,
  filters: Object.fromEntries(filters.map(({ id, value }) => [id, value])),
})

/** Replaces one filter in its position, or removes it when the value is empty. */
export const withFilter = (filters: readonly SmartFilterEntry[], entry: SmartFilterEntry): SmartFilterEntry[] => {
  const isKnown = filters.some(({ id }) => id === entry.id)
  const next = isKnown ? filters.map((other) => (other.id === entry.id ? entry : other)) : [...filters, entry]
  return next.filter(({ value }) => value.length > 0)
}

const readPage = (text: string | null): number => (/^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : 1)

const readSort = (text: string | null): Sort | null => {
  try {
    return parseSort(text ?? '')
  } catch {
    return null // falls back to the default order without a notice
  }
}

const printFilters = (filters: readonly SmartFilterEntry[]) => (filters.length === 0 ? null : JSON.stringify(filters))

/** null if the text is not a list of filters. */
const readFilters = (text: string | null): SmartFilterEntry[] | null => {
  if (!text) return []
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(parsed)) return null
  const entries = parsed.map(readEntry)
  if (entries.some((entry) => entry === null)) return null
  // If a field occurs twice, the later one counts, as in JSON.
  const byId = new Map((entries as SmartFilterEntry[]).map((entry) => [entry.id, entry]))
  return [...byId.values()].filter(({ value }) => value.length > 0)
}

const readEntry = (entry: unknown): SmartFilterEntry | null => {
  if (typeof entry !== 'object' || entry === null) return null
  const { id, value, viewValue } = entry as Record<string, unknown>
  const given = readValue(value)
  if (typeof id !== 'string' || id === '' || given === null) return null
  return { id, value: given, viewValue: typeof viewValue === 'string' ? viewValue : [given].flat().join(', ') }
}

/** Numbers become text: saved views and external links may contain bare numbers. */
const readValue = (value: unknown): FilterValue | null => {
  if (Array.isArray(value)) return value.every(isPlain) ? value.map(String) : null
  return isPlain(value) ? String(value) : null
}
const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'
