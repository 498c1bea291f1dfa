import type { Bundle, BundleEntry, Resource } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import { noPreparedPlan, type ScopedDb, systemScope } from '../../platform/db/scope.ts'
import type { Sql } from '../../platform/lists.ts'
import { type BaseRow, type FhirType, readRows, selectKeys, selectKeysAfter } from './definition.ts'
import { badRequest, issue, outcomeOf } from './faults.ts'
import { findIncluded, type Loaded } from './includes.ts'
import type { Reader } from './reader.ts'
import { pageParam, readSearch, type SearchQuery } from './search-query.ts'
import { makeResource } from './versions.ts'

export interface SearchCall {
  reader: Reader
  databases: ScopedDb
  parameters: URLSearchParams
  isLenient: boolean
  /** Only types that the token may read are included. */
  mayRead: (type: string) => boolean
}

export interface SearchResult {
  bundle: Bundle
  /** Every row that is in the bundle. */
  loaded: Loaded[]
}

/** One page of a search. */
export const search = async (definition: FhirType, call: SearchCall): Promise<SearchResult> => {
  const { reader, parameters, isLenient } = call
  const query = readSearch(definition, reader, parameters, isLenient)
  const where = [...definition.where(reader), ...query.conditions]
  const found = query.count === 0 ? { keys: [], next: null } : await findKeys(definition, call, query, where)
  const total = await countMatches(definition, reader, query, where)
  const rows = await readRows(definition, reader, found.keys)
  const matches: Loaded = { definition, rows }
  const { loaded: included, isCut } = await findIncluded(call, query.includes, matches)
  const entry = [
    ...entriesOf(matches, reader, 'match'),
    ...included.flatMap((one) => entriesOf(one, reader, 'include')),
    ...(isCut ? [cutEntry] : []),
  ]
  const bundle: Bundle = {
    resourceType: 'Bundle',
    type: 'searchset',
    timestamp: new Date().toISOString(),
    ...(total !== null && { total }),
    link: linksOf(definition, reader, query, found.next),
    ...(entry.length > 0 && { entry }),
  }
  return { bundle, loaded: [matches, ...included] }
}

const cutEntry: BundleEntry = {
  resource: outcomeOf([
    { ...issue('too-costly', 'Not all included resources are here: ask for a smaller page'), severity: 'warning' },
  ]),
  search: { mode: 'outcome' },
}

const entriesOf = ({ definition, rows }: Loaded, reader: Reader, mode: 'match' | 'include'): BundleEntry[] =>
  rows.map((row: BaseRow) => {
    const resource: Resource = makeResource(definition, row, reader)
    return { fullUrl: `${reader.base}/${resource.resourceType}/${resource.id}`, resource, search: { mode } }
  })

const linksOf = ({ type }: FhirType, { base }: Reader, { used }: SearchQuery, next: string | null): Bundle['link'] => {
  const addressOf = (parameters: [string, string][]) => {
    const text = new URLSearchParams(parameters).toString()
    return text === '' ? `${base}/${type}` : `${base}/${type}?${text}`
  }
  const others = used.filter(([name]) => name !== pageParam)
  return [
    { relation: 'self', url: addressOf(used) },
    ...(next === null ? [] : [{ relation: 'next', url: addressOf([...others, [pageParam, next]]) }]),
  ]
}

// ── pages ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface FoundKeys {
  keys: number[]
  /** Where the next page begins; null at the end. */
  next: string | null
}

/** The maximum number of matches of a sorted search. */
const mostSorted = 100_000

const findKeys = (definition: FhirType, call: SearchCall, query: SearchQuery, where: readonly Sql[]) =>
  query.sorts.length > 0 ? findSorted(definition, call, query, where) : findInOrder(definition, call, query, where)

/** In key order: a page begins after the last key of the previous one. */
const findInOrder = async (
  definition: FhirType,
  { reader }: SearchCall,
  { count, page }: SearchQuery,
  where: readonly Sql[],
): Promise<FoundKeys> => {
  const after = page === null ? null : Number(readPlace(page, /^after(-?\d{1,18})$/))
  const rows = await selectKeysAfter(definition, reader, { where, after, limit: count + 1 })
  const keys = rows.slice(0, count)
  return { keys, next: rows.length > count ? `after${keys.at(-1)}` : null }
}

/** A changed value could move its row between two pages, so the found keys are stored until the last page was read. */
const findSorted = async (
  definition: FhirType,
  { reader, databases }: SearchCall,
  { count, page, sorts }: SearchQuery,
  where: readonly Sql[],
): Promise<FoundKeys> => {
  const system = databases(systemScope)
  if (page !== null) {
    const [id = '', offset = ''] = readPlace(page, /^([0-9a-f-]{36}\.\d{1,7})$/).split('.')
    const from = Number(offset)
    const stored = await system
      .selectFrom('fhir_page')
      .select(sql<number[]>`keys[${from + 1}::int : ${from + count}::int]`.as('keys'))
      .select(sql<number>`cardinality(keys)`.as('size'))
      .where('id', '=', id)
      .where('user_id', '=', reader.actor.userId)
      .where('resource_type', '=', definition.type)
      .executeTakeFirst()
    if (!stored) throw badRequest('This page is no longer kept: search again')
    return { keys: stored.keys.map(Number), next: from + count < stored.size ? `${id}.${from + count}` : null }
  }
  const order = sorts.map(({ expression, isDescending }) =>
    isDescending ? sql`${expression} desc nulls last` : sql`${expression} nulls last`,
  )
  const keys = await selectKeys(definition, reader, {
    where,
    order: sql.join([...order, definition.key]),
    limit: mostSorted + 1,
  })
  if (keys.length > mostSorted) throw badRequest(`More than ${mostSorted} match: narrow the search, or leave out _sort`)
  if (keys.length <= count) return { keys, next: null }
  await sql`delete from fhir_page where created_at < now() - interval '1 hour'`.execute(system)
  const { id } = await system
    .insertInto('fhir_page')
    .values({ user_id: reader.actor.userId, resource_type: definition.type, keys })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { keys: keys.slice(0, count), next: `${id}.${count}` }
}

const readPlace = (page: string, pattern: RegExp): string => {
  const place = pattern.exec(page)?.[1]
  if (place === undefined) throw badRequest('This is not the address of a page')
  return place
}

/** Without `_total`, matches are counted only up to a limit, because counting is expensive. */
const mostCounted = 1000

const countMatches = async (
  { from }: FhirType,
  reader: Reader,
  { total: asked, page, count: perPage }: SearchQuery,
  where: readonly Sql[],
): Promise<number | null> => {
  // Without rows the total is all that is asked for.
  const total = perPage === 0 ? (asked ?? 'accurate') : asked
  if (total === 'none' || (total === null && page !== null)) return null
  const limit = total === null ? sql`limit ${mostCounted + 1}` : sql``
  const { rows } = await sql<{
    count: number
  }>`${sql.raw(noPreparedPlan)} select count(*)::int as count from (select from ${from(reader)}
    where ${where.length > 0 ? sql.join(where, sql` and `) : sql`true`} ${limit}) x`.execute(reader.db)
  const count = rows[0]?.count ?? 0
  return total === null && count > mostCounted ? null : count
}
