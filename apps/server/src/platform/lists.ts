import { defaultMaxPerPage, type FilterValue, type ListQuery, sortKeys } from '@lis/contract/kit/list-query.ts'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Db } from './db/db.ts'
import { noPreparedPlan } from './db/scope.ts'
import { invalid } from './errors.ts'
import { JsonText } from './http/json-text.ts'

/*
 * The list engine. A module describes a list once, as a `ListDefinition`; page, total, single row and export are all built from it, so
 * they cannot disagree. Only what the definition names can be sorted or filtered by; anything else is refused as invalid.
 *
 *   listPage     one page with its exact total, as JSON text
 *   findRow      one row by its key, in the same shape
 *   countAndFirst  the total and what stands first, for a queue
 *   listChunks   every matching row in chunks, for exports
 *
 * A statement is put together from parts of the definition:
 *
 *   select <fields> from <from> where <where> and <filter of each value> order by <sort, key> limit … offset …
 *
 * PostgreSQL writes the rows as JSON and the text is passed through; parsing and printing them again would cost as much as finding
 * them. `append` adds fields to that text; `finish` has to parse it. The total runs beside the page on a second connection. `key` ends every order, so rows with equal values keep their places
 * between pages. `perPage` -1 means all rows; if there are more than `maxRows` allows, the call is refused instead of cut short.
 *
 * Small lists (lookups, the parts of one requisition) need no more than that. For a list that can hold every requisition of the
 * laboratory, `keys` adds what keeps any page of a million rows fast. docs/performance.md has the limit and measurement of each:
 *
 *   keys first      The page's keys are found on one narrow table; only then are the wide rows of those keys joined. A deep page joins 25
 *                   rows, not 10,000.
 *   not prepared    The best plan for finding keys depends on the filter values, so that statement is planned each time (cheap for
 *                   one table). The wide rows and a known total use prepared statements.
 *   padded keys     With few keys PostgreSQL prefers a custom plan, which takes longer to make than to run. Padding the array with
 *                   nulls to the page size makes the cost estimate that of a full page, so the generic plan is kept.
 *   stable page     `stable`: the first page of a list whose scope and filters are no parameters has one best plan. Keys, rows and a
 *                   known total are then one prepared statement, whose text is kept.
 *   known total     A list may give its `total` as an expression, for example from counters, instead of counting.
 *   filter first    `isFilterFirst`: for rare matches ordered by an unrelated index, the planner would walk that index to the end. A
 *                   subquery with `offset 0` makes it collect the matches before sorting.
 *   merged ranges   `merged`: a scope that consists of several ranges of one index (a sales person's clients). As one condition, the
 *                   whole scope would be sorted for each page. Instead the first rows of each range are read in index order, as key and
 *                   sort value only, and merged. Not past `maxMergedRows`, and only with filters that the index answers.
 *   nulls           `desc nulls last` cannot be read from a plain index, so only sorts named in `nullable` ask for it.
 *
 * The largest definition is modules/requisition-list/list.ts.
 */

export type Sql = RawBuilder<unknown>
export type Condition = (value: FilterValue) => Sql

/** Describes a list; see above. */
export interface ListDefinition {
  /** Tables and joins. */
  from: Sql
  /** Conditions on every row: the reader's scope, not deleted … */
  where: readonly Sql[]
  /** Wire name and expression, in the order of the columns. */
  fields: Record<string, Sql>
  /** Sort expressions that differ from the field itself. */
  sort?: Record<string, Sql>
  /** Sorts whose value can be null; nulls then come last in both directions. Without `keys` every sort counts as nullable. */
  nullable?: readonly string[]
  filter: Record<string, Condition>
  defaultOrder: Sql
  /** Ends every order. */
  key: Sql
  keys?: Keys
  /** The number of matching rows, where it is known without counting them. */
  total?: Sql
  /** Adds to a row what the database cannot compute. */
  finish?: (row: Record<string, unknown>) => Record<string, unknown>
  /** The same from a few fields, without parsing the rest of the row. Only for lists with `keys`, and not in exports. */
  append?: { from: readonly string[]; fields: (row: Record<string, unknown>) => Record<string, unknown> }
  /** Adds to the rows of a page what is read for all of them at once. */
  finishPage?: (rows: Record<string, unknown>[]) => Promise<Record<string, unknown>[]>
  /** For a search whose best matches are enough: `perPage` -1 gives this many; the total still counts all. */
  maxRows?: number
}

interface Keys {
  /** The narrow table, aliased `l`. */
  from: Sql
  key: Sql
  isFilterFirst?: boolean
  /** For a list without parameters in its scope. */
  stable?: StablePages
  merged?: MergedRanges
}

/** First pages as prepared statements, which are put together once. */
interface StablePages {
  statements: Map<string, CompiledQuery<KeyedRow>>
  /** Names everything that the statement depends on. */
  name: string
}

export interface MergedRanges {
  /** Combines the first rows of each range, again as `l`; `firstOf` selects those of one range. */
  from: (firstOf: (range: Sql) => Sql) => Sql
  /** Conditions besides the scope. The range implies the scope; stated twice, its selectivity would count twice in the planner's estimate. */
  where: readonly Sql[]
  /** Sorts by a value that is constant within a range, replaced there by the key. */
  sort?: Record<string, Sql>
  /** Filters that an index answers within a range. Any other would be evaluated for each range. */
  filters?: readonly string[]
}

const notPrepared = sql.raw(noPreparedPlan)

/** Sub-tables and options are read without pages. */
const maxUnpagedRows = 10_000

/** How many rows `perPage` -1 gives. Of a list with `keys`, which can hold every requisition, only as many as a page; more is an export. */
const maxRowsOf = (list: ListDefinition) => list.maxRows ?? (list.keys ? defaultMaxPerPage : maxUnpagedRows)

/** Refuses instead of cutting: the caller would take the part for all rows. */
const requireAll = (list: ListDefinition, { perPage }: ListQuery, total: number) => {
  if (perPage !== -1 || list.maxRows !== undefined || total <= maxRowsOf(list)) return
  throw invalid(
    'perPage',
    `perPage -1 (all) gives at most ${maxRowsOf(list)} rows here, and ${total} match: ask for pages, or export the list`,
  )
}

/** One page with its exact total. */
export const listPage = async (db: Db, list: ListDefinition, query: ListQuery): Promise<JsonText> => {
  const { data, total } = list.keys ? await pageByKeys(db, list, list.keys, query) : await pageOfRows(db, list, query)
  const finished = list.finish || list.finishPage ? JSON.stringify(await finishRows(list, data)) : data
  return new JsonText(`{"data":${finished},"total":${total},"message":""}`)
}

const finishRows = async ({ finish, finishPage }: ListDefinition, data: string) => {
  const rows = JSON.parse(data) as Record<string, unknown>[]
  const finished = finish ? rows.map(finish) : rows
  return finishPage ? finishPage(finished) : finished
}

interface Page {
  data: string
  total: number
}

/** Page and total on two connections: a filter that reads every row takes as long for the one as for the other. */
const pageOfRows = async (db: Db, list: ListDefinition, query: ListQuery): Promise<Page> => {
  const where = conditions(list, query)
  const [{ rows }, counted] = await Promise.all([
    sql<{ data: string }>`
      select coalesce(json_agg(r), '[]')::text as data from (
        select ${fieldList(list)} from ${list.from} where ${where} order by ${orderBy(list, query)} ${limit(list, query)}) r`.execute(
      db,
    ),
    sql<{
      total: number
    }>`select ${list.total ?? sql`(select count(*) from ${list.from} where ${where})`} as total`.execute(db),
  ])
  const total = counted.rows[0]?.total ?? 0
  requireAll(list, query, total)
  return { data: rows[0]?.data ?? '[]', total }
}

/** The keys of the page first, then the rows of those keys. */
const pageByKeys = async (db: Db, list: ListDefinition, keys: Keys, query: ListQuery): Promise<Page> => {
  const stable = isStablePage(list, query) && (await findStablePage(db, list, keys, query))
  if (stable) return stable
  const where = conditions(list, query)
  // A known total is prepared; a count depends on the filter values and is not.
  const [{ rows: found }, counted] = await Promise.all([
    sql<{ keys: number[] }>`${notPrepared} select array(${keysOfPage(list, keys, query, where)}) as keys`.execute(db),
    sql<{ total: number }>`${
      list.total
        ? sql`select ${list.total}`
        : sql`${notPrepared} select (select count(*) from ${keys.from} where ${where})`
    } as total`.execute(db),
  ])
  const page = { keys: found[0]?.keys ?? [], total: counted.rows[0]?.total ?? 0 }
  requireAll(list, query, page.total)
  if (page.keys.length === 0) return { data: '[]', total: page.total }
  const wanted = sql`unnest(${padToPageSize(page.keys)}::bigint[]) with ordinality page(key, place)`
  const { rows } = await rowsOfKeys(list, keys, wanted).execute(db)
  return { data: joinRows(list, rows), total: page.total }
}

/** The usual size; each further one would be another prepared statement for each view and sort. */
const stableSize = 25

const isStablePage = ({ keys, total }: ListDefinition, { page, perPage, filters }: ListQuery) =>
  keys?.stable !== undefined && total !== undefined && page === 1 && perPage === stableSize && isEmpty(filters)
const isEmpty = (filters: ListQuery['filters']) => Object.keys(filters).length === 0

/** Keys, rows and total by one statement; undefined without rows, which hold the total. */
const findStablePage = async (
  db: Db,
  list: ListDefinition,
  keys: Keys,
  query: ListQuery,
): Promise<Page | undefined> => {
  const { statements, name } = keys.stable as StablePages
  const statement = statements.get(name) ?? stableStatement(list, keys, query).compile(db)
  statements.set(name, statement)
  const { rows } = await db.executeQuery(statement)
  const total = rows[0]?.total
  return total === undefined ? undefined : { data: joinRows(list, rows), total }
}

const stableStatement = (list: ListDefinition, keys: Keys, query: ListQuery) => {
  const found = sql`select ${keys.key} from ${keys.from} where ${conditions(list, query)}
    order by ${orderBy(list, query)} limit ${sql.lit(query.perPage)}`
  const wanted = sql`(select key, row_number() over () as place from (${found}) found(key)) page`
  return rowsOfKeys(list, keys, wanted, sql`, (select ${list.total}) as total`)
}

interface KeyedRow extends Record<string, unknown> {
  /** JSON. */
  row: string
  total?: number
}

const rowsOfKeys = (list: ListDefinition, keys: Keys, wanted: Sql, more = sql``) => {
  const given = list.append?.from.map((name) => sql`, r.${sql.ref(name)}`) ?? []
  return sql<KeyedRow>`
    select row_to_json(r)::text as row${sql.join(given, sql``)}${more} from (
      select ${fieldList(list)} from ${list.from} join ${wanted} on page.key = ${keys.key} order by page.place) r`
}

const joinRows = ({ append }: ListDefinition, rows: readonly KeyedRow[]): string => {
  const texts = rows.map((each) =>
    append ? `${each.row.slice(0, -1)},${JSON.stringify(append.fields(each)).slice(1)}` : each.row,
  )
  return `[${texts.join(',')}]`
}

/** Keeps the generic plan for a page with few keys: a custom one takes 4 ms to make. */
const padToPageSize = (keys: readonly number[]): (number | null)[] => [
  ...keys,
  ...Array<null>(Math.max(0, pageSize - keys.length)).fill(null),
]
const pageSize = 25

/** With more rows than this from each range, merging costs more than sorting the whole scope. */
const maxMergedRows = 2000

const keysOfPage = (
  list: ListDefinition,
  { from, key, isFilterFirst, merged }: Keys,
  query: ListQuery,
  where: Sql,
): Sql => {
  const last = query.page * query.perPage
  const areFiltersIndexed = Object.keys(query.filters).every((name) => merged?.filters?.includes(name))
  // Only the first key is carried out of the ranges.
  const hasOneKey = (query.sort?.thenBy ?? []).length === 0
  if (merged && query.perPage > 0 && last <= maxMergedRows && areFiltersIndexed && hasOneKey)
    return keysOfRanges(list, from, merged, query, last)
  // `offset 0` keeps the planner from pulling the subquery up and walking the index of the order.
  const rows = isFilterFirst ? sql`(select l.* from ${from} where ${where} offset 0) l` : sql`${from} where ${where}`
  return sql`select ${key} from ${rows} order by ${orderBy(list, query)} ${limit(list, query)}`
}

/** Only key and sort value of each range: planning all columns would take half as long again. */
const keysOfRanges = (list: ListDefinition, from: Sql, ranges: MergedRanges, query: ListQuery, last: number): Sql => {
  const rangeSort = sortExpression({ ...list, sort: { ...list.sort, ...ranges.sort } }, query)
  const where = conditions({ ...list, where: ranges.where }, query)
  const firstOf = (range: Sql) => sql`(select ${list.key} as key, ${sortExpression(list, query)} as place from ${from}
    where ${range} and ${where} order by ${orderBy(list, query, { by: rangeSort })} limit ${last})`
  const mergedOrder = { by: sql`l.place`, key: sql`l.key` }
  return sql`select l.key from ${ranges.from(firstOf)} order by ${orderBy(list, query, mergedOrder)} ${limit(list, query)}`
}

/** One row by its key, in the shape of the list; undefined when it does not exist or is out of scope. */
export const findRow = async <Row>(db: Db, list: ListDefinition, id: number): Promise<Row | undefined> => {
  const where = sql.join([...list.where, sql`${list.key} = ${id}::bigint`], sql` and `)
  const { rows } = await sql<{ row: Row }>`
    select row_to_json(r) as row from (select ${fieldList(list)} from ${list.from} where ${where}) r`.execute(db)
  return rows[0]?.row
}

/** The first rows in the default order, in the shape of the list. */
export const listRows = async <Row>(db: Db, list: ListDefinition, count: number): Promise<Row[]> => {
  const query = { ...firstPage, perPage: count }
  const { data } = list.keys ? await pageByKeys(db, list, list.keys, query) : await pageOfRows(db, list, query)
  return (await finishRows(list, data)) as Row[]
}

export interface FirstRowSource {
  order: Sql
  select: Record<string, Sql>
  /** An index has the rows that match in this order: it is read up to the first. */
  isIndexed?: boolean | undefined
  /** Where the first row is read, if not where the rows are counted. */
  from?: Sql | undefined
}

/** How many rows match, and these expressions of the row that comes first by `order`; null without a row. */
export const countAndFirst = async <Row>(
  db: Db,
  list: ListDefinition,
  filters: ListQuery['filters'],
  { order, select, isIndexed = false, from }: FirstRowSource,
): Promise<{ count: number; first: Row | null }> => {
  const keys = list.keys?.from ?? list.from
  const where = conditions(list, { ...firstPage, filters })
  // `offset 0`: an index of the order would be walked past everything that does not match.
  const source =
    from || isIndexed || !list.keys
      ? sql`${from ?? keys} where ${where}`
      : sql`(select l.* from ${keys} where ${where} offset 0) l`
  const first = (fields: Sql) => sql`select ${fields} from ${source} order by ${order}, ${list.key} limit 1`
  if (!list.total && !isIndexed && !from) {
    // Rows that have to be counted anyway are read once.
    const { rows } = await sql<{ count: number; first: Row }>`${planOf(list, filters)}
      select f.count, row_to_json(f)::jsonb - 'count' as first from (${first(sql`${fieldList({ fields: select })}, count(*) over () as count`)}) f`.execute(
      db,
    )
    return rows[0] ?? { count: 0, first: null }
  }
  const { rows } = await sql<{ count: number; first: Row | null }>`${planOf(list, filters)}
    select ${list.total ?? sql`(select count(*) from ${keys} where ${where})`} as count,
      (select row_to_json(f) from (${first(fieldList({ fields: select }))}) f) as first`.execute(db)
  return rows[0] ?? { count: 0, first: null }
}
/** As for a page: the best plan depends on the values of the filters, where the rows are many. */
const planOf = ({ keys }: ListDefinition, filters: ListQuery['filters']) =>
  keys && Object.keys(filters).length > 0 ? notPrepared : sql``
const firstPage: ListQuery = { page: 1, perPage: 1, filters: {}, sort: null }

/** Every matching row in chunks from a cursor, so memory does not grow with their number. */
export async function* listChunks(
  db: Db,
  list: ListDefinition,
  query: ListQuery,
): AsyncGenerator<Record<string, unknown>[]> {
  const select = sql`select ${fieldList(list)} from ${list.from} where ${conditions(list, query)} order by ${orderBy(list, query)}`
  const chunks = db.getExecutor().stream(select.compile(db), rowsAtOnce)[Symbol.asyncIterator]()
  const take = () => {
    const next = chunks.next()
    // A rejection is handled when the promise is awaited; until then it must not count as unhandled.
    next.catch(() => undefined)
    return next
  }
  try {
    // The database reads the next rows while these are written.
    let upcoming = take()
    for (let chunk = await upcoming; !chunk.done; chunk = await upcoming) {
      upcoming = take()
      const rows = chunk.value.rows as Record<string, unknown>[]
      if (rows.length > 0) yield list.finish ? rows.map(list.finish) : rows
    }
  } finally {
    await chunks.return?.()
  }
}
/** Few enough that formatting them does not block the event loop for other calls. */
const rowsAtOnce = 100

const fieldList = (list: Pick<ListDefinition, 'fields'>) =>
  sql.join(Object.entries(list.fields).map(([name, expression]) => sql`${expression} as ${sql.ref(name)}`))

const conditions = (list: ListDefinition, query: ListQuery): Sql => {
  const filters = Object.entries(query.filters).map(([name, value]) => {
    const condition = list.filter[name]
    if (!condition) throw invalid('filter', `Unknown filter field "${name}"`)
    return sql`(${condition(value)})`
  })
  const all = [...list.where, ...filters]
  return all.length > 0 ? sql.join(all, sql` and `) : sql`true`
}

const expressionOf = (list: ListDefinition, field: string): Sql => {
  const expression = list.sort?.[field] ?? list.fields[field]
  if (!expression) throw invalid('sort', `Unknown sort field "${field}"`)
  return expression
}

/** Of the first key; a list without a sort has its default order. */
const sortExpression = (list: ListDefinition, { sort }: ListQuery): Sql =>
  sort ? expressionOf(list, sort.field) : list.defaultOrder

/** The requested order; `by` and `key` replace the first expression and the key where they have other names. */
const orderBy = (
  list: ListDefinition,
  query: ListQuery,
  { by = sortExpression(list, query), key = list.key } = {},
): Sql => {
  const keys = sortKeys(query.sort)
  const last = keys.at(-1)
  if (!last) return sql`${by}, ${key}`
  const parts = keys.map((sort, index) => {
    // An index read backwards gives nulls first; putting them last loses the index, so only where they can occur.
    const isNullable = list.nullable?.includes(sort.field) ?? list.keys === undefined
    const direction = sort.order === 'ASC' ? sql`asc` : isNullable ? sql`desc nulls last` : sql`desc`
    return sql`${index === 0 ? by : expressionOf(list, sort.field)} ${direction}`
  })
  return sql.join([...parts, sql`${key} ${last.order === 'DESC' ? sql`desc` : sql`asc`}`])
}

const limit = (list: ListDefinition, { page, perPage }: ListQuery): Sql =>
  perPage === -1 ? sql`limit ${maxRowsOf(list)}` : sql`limit ${perPage} offset ${(page - 1) * perPage}`

// ── conditions that several lists use ────────────────────────────────────────────────────────────────────────────────

const values = (value: FilterValue) => (Array.isArray(value) ? value : [value])

/** Equals the value, or one of the values, as text; for codes. A single value uses `=`: only then can an index also give the order. */
export const isOneOf =
  (expression: Sql): Condition =>
  (value) => {
    const [first, ...more] = values(value)
    return more.length === 0 && first !== undefined
      ? sql`${expression}::text = ${first}::text`
      : sql`${expression}::text = any(${values(value)}::text[])`
  }

/** Like isOneOf for whole numbers; anything else is refused with the name of the field. */
export const isOneOfIds =
  (expression: Sql, field: string): Condition =>
  (value) => {
    const ids = values(value).map((text) => text.trim())
    const wrong = ids.find((text) => !/^\d{1,15}$/.test(text))
    if (wrong !== undefined) throw invalid('filter', `${field}: "${wrong}" is not a whole number`)
    return ids.length === 1
      ? sql`${expression} = ${Number(ids[0])}::bigint`
      : sql`${expression} = any(${ids.map(Number)}::bigint[])`
  }

/** Contains the text, ignoring case; LIKE wildcards in the value are escaped. */
export const contains =
  (expression: Sql): Condition =>
  (value) =>
    sql`${expression} ilike ${`%${escapeLike(values(value).join(' '))}%`}`

export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
