import { z } from 'zod'
import { asOfDescription, asOfMessage } from './as-of.ts'
import { formatBracketText, isPlainText, parseBracketText } from './bracket-text.ts'
import { isIsoDate } from './date-range.ts'

export type FilterValue = string | string[]
export type Filters = Record<string, FilterValue>
type SortOrder = 'ASC' | 'DESC'
export interface SortKey {
  field: string
  order: SortOrder
}
/** The first key of an order, and the keys that order rows with equal values in it. */
export interface Sort extends SortKey {
  thenBy?: readonly SortKey[]
}
/** More keys than this are refused. */
export const maxSortKeys = 5

export const sortKeys = (sort: Sort | null): SortKey[] =>
  sort === null ? [] : [{ field: sort.field, order: sort.order }, ...(sort.thenBy ?? [])]

export const sortOf = (keys: readonly SortKey[]): Sort | null => {
  const [first, ...thenBy] = keys
  if (first === undefined) return null
  return thenBy.length > 0 ? { ...first, thenBy } : { field: first.field, order: first.order }
}

/** A list request. `page` counts from 1; `perPage` -1 means all; without a sort the list uses its default. */
export interface ListQuery {
  page: number
  perPage: number
  filters: Filters
  sort: Sort | null
  /** YYYY-MM-DD: the rows as they were at the end of that day. */
  asOf?: string
}

/** What a list accepts; any other field is refused. */
export interface AllowedListParams {
  sort: readonly string[]
  filter: readonly string[]
  defaultPerPage: number
  maxPerPage?: number
  /** Whether the rows can be read as they were on a day. */
  hasAsOf?: boolean
}

export type ListParam = 'filter' | 'sort' | 'page' | 'perPage' | 'asOf'

/** A list request that cannot be read; `param` says where, the message says what. */
export class ListQueryError extends Error {
  readonly param: ListParam
  constructor(param: ListParam, message: string) {
    super(message)
    this.name = 'ListQueryError'
    this.param = param
  }
}

/** Longer texts are refused without being parsed. */
export const maxFilterLength = 20_000
/** The largest page of a list; also the limit of `perPage` -1 where a list can be long. */
export const defaultMaxPerPage = 500

// ── filter ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads every spelling of a filter: `[field:value,...]`, `{id:[1,2]}` and a JSON object. */
export const parseFilter = (text: string): Filters => {
  if (text.length > maxFilterLength) fail(`filter is longer than ${maxFilterLength} characters`)
  const source = text.trim()
  if (source === '') return {}
  return readJsonFilter(source) ?? readBracketFilter(source)
}

/** The inverse of `parseFilter`, in bracket form. */
export const formatFilter = (filters: Filters): string => {
  const entries = Object.entries(filters)
  return entries.length === 0 ? '' : formatBracketText(entries)
}

const readBracketFilter = (source: string): Filters => {
  const fields = new Map<string, FilterValue>()
  for (const [field, value] of bracketEntries(source)) {
    const known = fields.get(field)
    if (known !== undefined && !sameValue(known, value)) fail(`filter: ${JSON.stringify(field)} is given twice`)
    fields.set(field, value)
  }
  return Object.fromEntries(fields)
}

const bracketEntries = (source: string) => {
  try {
    return parseBracketText(source)
  } catch (error) {
    if (error instanceof SyntaxError) return fail(`filter: ${error.message}`)
    throw error
  }
}

const readJsonFilter = (source: string): Filters | undefined => {
  if (!source.startsWith('{')) return undefined
  let parsed: object
  try {
    parsed = JSON.parse(source) as object
  } catch {
    return undefined // the unquoted spelling, or an error that its parser reports
  }
  const fields: [string, FilterValue][] = []
  for (const [field, value] of Object.entries(parsed)) {
    if (value === null) continue
    fields.push([field, Array.isArray(value) ? value.map((item) => jsonText(field, item)) : jsonText(field, value)])
  }
  return Object.fromEntries(fields)
}

const jsonText = (field: string, value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  return fail(`filter: the value of ${JSON.stringify(field)} must be a text, a number or a list of them`)
}

const sameValue = (one: FilterValue, other: FilterValue) => JSON.stringify(one) === JSON.stringify(other)
const fail = (message: string): never => {
  throw new ListQueryError('filter', message)
}

// ── sort ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads `[field,order]` or `[field,order,field,order,...]`, the same without brackets, and a JSON list; the order in either case. */
export const parseSort = (text: string): Sort | null => {
  const source = text.trim()
  if (source === '' || source === '[]') return null
  const parts = readJsonTexts(source) ?? source.replace(/^\[(.*)\]$/s, '$1').split(',')
  if (parts.length > 2 * maxSortKeys)
    throw new ListQueryError('sort', `sort: at most ${maxSortKeys} fields can be given`)
  if (parts.length > 1 && parts.length % 2 === 1) throw new ListQueryError('sort', sortSyntax)
  const keys: SortKey[] = []
  for (let at = 0; at < parts.length; at += 2) keys.push(readSortKey(parts[at], parts[at + 1]))
  const fields = new Set(keys.map(({ field }) => field))
  if (fields.size < keys.length) throw new ListQueryError('sort', 'sort: a field is given twice')
  return sortOf(keys)
}

const sortSyntax = 'sort must be written [field,order]'

const readSortKey = (field = '', order = ''): SortKey => {
  const name = field.trim()
  const direction = order.trim().toUpperCase()
  if (name === '') throw new ListQueryError('sort', sortSyntax)
  if (direction !== 'ASC' && direction !== 'DESC')
    throw new ListQueryError('sort', `sort: the order of ${JSON.stringify(name)} must be ASC or DESC`)
  return { field: name, order: direction }
}

export const formatSort = (sort: Sort | null): string => {
  const parts = sortKeys(sort).flatMap(({ field, order }) => [field, order])
  if (parts.length === 0) return ''
  return parts.every(isPlainText) ? `[${parts.join(',')}]` : JSON.stringify(parts)
}

const readJsonTexts = (source: string): string[] | undefined => {
  // Without a quoted text it is not JSON; a failed JSON.parse on every call is expensive.
  if (!source.includes('"')) return undefined
  try {
    const parsed: unknown = JSON.parse(source)
    return Array.isArray(parsed) && parsed.every((item) => typeof item === 'string') ? parsed : undefined
  } catch {
    return undefined
  }
}

// ── the query ──────────────────────────────────────────────────────────────────────────────────────────────────────

const reserved = ['page', 'rows', 'perPage', 'filter', 'sort', 'filterActive']

/** Reads the query parameters of a list: `rows` and `perPage` alike, filters in one text or one parameter each. */
export const parseListQuery = (raw: Record<string, unknown>, allowed: AllowedListParams): ListQuery => {
  const { defaultPerPage, maxPerPage = defaultMaxPerPage } = allowed
  const page = readInteger(raw, 'page', 'page') ?? 1
  if (page < 1) throw new ListQueryError('page', 'page counts from 1')
  const perPage = readInteger(raw, 'perPage', 'perPage')
  const rows = readInteger(raw, 'rows', 'perPage')
  if (perPage !== undefined && rows !== undefined && perPage !== rows) {
    throw new ListQueryError('perPage', 'perPage and rows disagree')
  }
  const size = perPage ?? rows ?? defaultPerPage
  if (size !== -1 && size !== defaultPerPage && (size < 1 || size > maxPerPage)) {
    throw new ListQueryError('perPage', `perPage must be -1 (all) or from 1 to ${maxPerPage}`)
  }
  const sort = parseSort(readParam(raw, 'sort', 'sort') ?? '')
  const unknown = sortKeys(sort).find(({ field }) => !allowed.sort.includes(field))
  if (unknown) throw new ListQueryError('sort', `Unknown sort field ${JSON.stringify(unknown.field)}`)
  const asOf = allowed.hasAsOf ? readParam(raw, 'asOf', 'asOf') : undefined
  if (asOf !== undefined && !isIsoDate(asOf)) throw new ListQueryError('asOf', asOfMessage)
  return { page, perPage: size, filters: readFilters(raw, allowed.filter), sort, ...(asOf !== undefined && { asOf }) }
}

const readFilters = (raw: Record<string, unknown>, names: readonly string[]): Filters => {
  const filters = parseFilter(readParam(raw, 'filter', 'filter') ?? '')
  const unknown = Object.keys(filters).find((field) => !names.includes(field))
  if (unknown !== undefined) fail(`Unknown filter field ${JSON.stringify(unknown)}`)
  for (const name of names) {
    const value = reserved.includes(name) ? undefined : readParam(raw, name, 'filter')
    if (value === undefined) continue
    if (value.length > maxFilterLength) fail(`filter: ${JSON.stringify(name)} is too long`)
    const known = filters[name]
    if (known !== undefined && !sameValue(known, value)) fail(`filter: ${JSON.stringify(name)} is given twice`)
    filters[name] = value
  }
  return filters
}

/** One parameter as text; empty counts as absent, and a repeated one must have the same value. */
const readParam = (raw: Record<string, unknown>, name: string, param: ListParam): string | undefined => {
  if (!Object.hasOwn(raw, name)) return undefined
  const given = [raw[name]].flat().filter((value) => value !== undefined && value !== null && value !== '')
  const [first, ...rest] = given
  if (first === undefined) return undefined
  if (given.some((value) => typeof value !== 'string' && typeof value !== 'number')) {
    throw new ListQueryError(param, `${name} must be a text`)
  }
  if (rest.some((value) => String(value) !== String(first))) {
    throw new ListQueryError(param, `${name} is given twice with different values`)
  }
  return String(first)
}

const readInteger = (raw: Record<string, unknown>, name: string, param: ListParam): number | undefined => {
  const text = readParam(raw, name, param)?.trim()
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw new ListQueryError(param, `${name} must be a whole number`)
  return Number(text)
}

/** Query parameters of a list request; absent values are left out. */
export const formatListQuery = (query: ListQuery): Record<string, string> => {
  const filter = formatFilter(query.filters)
  const sort = formatSort(query.sort)
  return {
    page: String(query.page),
    perPage: String(query.perPage),
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(query.asOf !== undefined && { asOf: query.asOf }),
  }
}

/** The `query` of a list route. The parameters are read by `parseListQuery`; the shape is there for the API page. */
export const listQuery = (allowed: AllowedListParams) => {
  const param = (type: string, description: string) => z.unknown().optional().meta({ type, description })
  return z
    .looseObject({
      page: param('integer', 'From 1.'),
      perPage: param(
        'integer',
        `Rows a page, at most ${allowed.maxPerPage ?? defaultMaxPerPage}; -1 for all, refused where too many match; ${allowed.defaultPerPage} when absent.`,
      ),
      rows: param('integer', 'Another name of perPage.'),
      filter: param('string', `[field:value,...] or a JSON object. Fields: ${allowed.filter.join(', ')}`),
      sort: param(
        'string',
        `[field,order] or [field,order,field,order,...], order ASC or DESC. Fields: ${allowed.sort.join(', ')}`,
      ),
      filterActive: param('string', 'Accepted and ignored.'),
      ...(allowed.hasAsOf && { asOf: param('string', asOfDescription) }),
    })
    .transform((raw, context): ListQuery => {
      try {
        return parseListQuery(raw, allowed)
      } catch (error) {
        if (!(error instanceof ListQueryError)) throw error
        context.addIssue({ code: 'custom', path: [error.param], message: error.message })
        return z.NEVER
      }
    })
}

// ── changes of table state ──────────────────────────────────────────────────────────────────────────────────────────

export const setPerPage = (query: ListQuery, perPage: number): ListQuery => ({ ...query, perPage, page: 1 })

/** A click on a column header: descending first, then ascending, then descending again. */
export const setSort = (query: ListQuery, field: string): ListQuery => {
  const again = query.sort?.field === field && query.sort.order === 'DESC'
  return { ...query, sort: { field, order: again ? 'ASC' : 'DESC' } }
}

/** A click with shift: adds the column as a further key, or turns its order round. */
export const addSort = (query: ListQuery, field: string): ListQuery => {
  const keys = sortKeys(query.sort)
  const isKnown = keys.some((key) => key.field === field)
  if (!isKnown && keys.length >= maxSortKeys) return query
  const turned = keys.map((key) =>
    key.field === field ? { field, order: key.order === 'DESC' ? ('ASC' as const) : ('DESC' as const) } : key,
  )
  return { ...query, sort: sortOf(isKnown ? turned : [...keys, { field, order: 'DESC' }]) }
}

export const setPage = (query: ListQuery, page: number): ListQuery => ({
  ...query,
  page: Math.max(1, Math.trunc(page)),
})
