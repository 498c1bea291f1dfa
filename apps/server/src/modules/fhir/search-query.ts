import type { Sql } from '../../platform/lists.ts'
import { type FhirType, hasKey } from './definition.ts'
import { badRequest } from './faults.ts'
import type { Reader } from './reader.ts'
import { instantParam, splitValues } from './search-values.ts'
import { findType } from './types.ts'

const defaultCount = 50
const mostPerPage = 200

interface Sort {
  name: string
  expression: Sql
  isDescending: boolean
}

/** References whose targets are included. */
export interface Include {
  isReverse: boolean
  source: FhirType
  param: string
  target: string | null
}

export interface SearchQuery {
  conditions: Sql[]
  count: number
  sorts: Sort[]
  total: 'none' | 'accurate' | 'estimate' | null
  includes: Include[]
  /** Where the page begins; null for the first one. */
  page: string | null
  /** The supported parameters, for the `self` link. */
  used: [string, string][]
}

/** The parameter with the position of a page in `next` links. */
export const pageParam = '_page'

/** Reads the parameters of a search. Unknown parameters are refused, or ignored with `isLenient`. */
export const readSearch = (
  definition: FhirType,
  reader: Reader,
  parameters: URLSearchParams,
  isLenient: boolean,
): SearchQuery => {
  const query: SearchQuery = {
    conditions: [],
    count: defaultCount,
    sorts: [],
    total: null,
    includes: [],
    page: null,
    used: [],
  }
  for (const [name, value] of parameters) {
    if (value === '') continue
    const isKnown = readControl(query, definition, name, value) || readFilter(query, definition, reader, name, value)
    if (isKnown) query.used.push([name, value])
    else if (!isLenient) throw badRequest(`Unknown search parameter "${name.slice(0, 60)}" of ${definition.type}`)
  }
  return query
}

const readControl = (query: SearchQuery, definition: FhirType, name: string, value: string): boolean => {
  switch (name) {
    case '_count':
      if (!/^\d{1,9}$/.test(value)) throw badRequest('_count must be a number')
      query.count = Math.min(Number(value), mostPerPage)
      return true
    case '_total':
      if (value !== 'none' && value !== 'accurate' && value !== 'estimate')
        throw badRequest('_total must be none, estimate or accurate')
      query.total = value
      return true
    case '_sort':
      query.sorts = splitValues(value).map((one) => readSort(definition, one))
      return true
    case '_include':
    case '_revinclude':
      query.includes.push(...readInclude(definition, value, name === '_revinclude'))
      return true
    case pageParam:
      query.page = value
      return true
    case '_format':
    case '_pretty':
      return true
    default:
      return false
  }
}

const readSort = ({ sorts, lastUpdated, key }: FhirType, text: string): Sort => {
  const isDescending = text.startsWith('-')
  const name = isDescending ? text.slice(1) : text
  const expression = name === '_lastUpdated' ? lastUpdated : name === '_id' ? key : sorts[name]
  if (!expression) throw badRequest(`_sort cannot be by "${name.slice(0, 60)}"`)
  return { name, expression, isDescending }
}

const readInclude = (definition: FhirType, value: string, isReverse: boolean): Include[] => {
  const [sourceName = '', param = '', target = null] = value.split(':')
  if (value === '*' && !isReverse) return includesOf(definition, '*', null)
  const source = findType(sourceName)
  const isOwn = isReverse || source === definition
  const found = source && isOwn ? includesOf(source, param, target) : []
  const kept = isReverse
    ? found
        .filter((one) => source?.params[one.param]?.targets?.includes(definition.type))
        .map((one) => ({ ...one, isReverse }))
    : found
  if (kept.length === 0) throw badRequest(`"${value.slice(0, 80)}" cannot be included`)
  return kept
}

const includesOf = (source: FhirType, param: string, target: string | null): Include[] =>
  Object.entries(source.params).flatMap(([name, { type, targets }]) =>
    type === 'reference' &&
    (param === '*' || param === name) &&
    (target === null || targets?.some((one) => one === target))
      ? [{ isReverse: false, source, param: name, target }]
      : [],
  )

const readFilter = (query: SearchQuery, definition: FhirType, reader: Reader, name: string, value: string): boolean => {
  const [plain = '', modifier = null] = name.split(':')
  const input = { values: splitValues(value), modifier }
  if (plain === '_id') {
    if (modifier !== null) return false
    query.conditions.push(
      hasKey(
        definition,
        input.values.flatMap((id) => definition.keyOf(id) ?? []),
      ),
    )
    return true
  }
  const param = plain === '_lastUpdated' ? instantParam(definition.lastUpdated) : definition.params[plain]
  if (!param) return false
  query.conditions.push(param.condition(input, reader))
  return true
}
