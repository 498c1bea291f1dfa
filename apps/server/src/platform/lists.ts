import { type DateRange, dateRangeError, parseDateRange } from '@lis/contract/kit/date-range.ts'
import { defaultMaxPerPage, type FilterValue, type ListQuery } from '@lis/contract/kit/list-query.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './db/db.ts'
import { planAnewMark } from './db/scope.ts'
import { invalid } from './errors.ts'
import { JsonText } from './http/json-text.ts'

export type Sql = RawBuilder<unknown>
export type Condition = (value: FilterValue) => Sql

/**
 * A list, said once. The page, the total and the export are all made from it, so they can never disagree; what is not named here
 * can be neither sorted nor filtered by.
 */
export interface ListDefinition {
  /** Tables and joins. */
  from: Sql
  /** Always true of a row: the reader's scope, not deleted … */
  where: readonly Sql[]
  /** Wire name and the expression behind it, in the order of the columns. */
  fields: Record<string, Sql>
  /** Sort keys where they differ from the field itself. */
  sort?: Record<string, Sql>
  /** Sorts that can be empty, which then stand last either way. Lists without `keys` are small: there every one may. */
  nullable?: readonly string[]
  filter: Record<string, Condition>
  defaultOrder: Sql
  /** Ends every order, so that equal values never change places between pages. */
  key: Sql
  /** A narrow table where the keys of a page are found before its wide rows are read: deep pages and rare matches stay fast. */
  keys?: Keys
  /** The number of matching rows where it is known without counting them. */
  total?: Sql
  /** What the database cannot say of a row. */
  finish?: (row: Record<string, unknown>) => Record<string, unknown>
  /** What is computed for a whole page at once. */
  finishPage?: (rows: Record<string, unknown>[]) => Promise<Record<string, unknown>[]>
  /** A search whose best matches are enough: `perPage` -1 gives so many, and the total still counts all. */
  most?: number
}

interface Keys {
  /** Aliased `l`. */
  from: Sql
  key: Sql
  /** What matches is few, and far from where an index in the asked order begins: all of it is found first and then sorted. */
  isFilterFirst?: boolean
  /** For a scope that is several ranges of an index, each of them in order. As one condition all rows of the scope would be sorted. */
  merged?: MergedRanges
}

export interface MergedRanges {
  /** Puts the first rows of each range together, again as `l`; `firstOf` gives those of one. */
  from: (firstOf: (range: Sql) => Sql) => Sql
  /** What else is always true of a row. The scope is not said again: a condition said twice counts twice in the planner's guess. */
  where: readonly Sql[]
  /** Sorts by what is the same all through a range, which is in order by the key alone. */
  sort?: Record<string, Sql>
  /** Filters that an index answers within a range, in its order. Any other may be dear to ask, and would be asked anew for each range. */
  filters?: readonly string[]
}

const planAnew = sql.raw(planAnewMark)

/** Sub-tables and options are read whole. */
const mostRows = 10_000

/** How many rows `perPage` -1 gives. A list with `keys` can hold the whole laboratory: more than a page of it is exported. */
const mostOf = (list: ListDefinition) => list.most ?? (list.keys ? defaultMaxPerPage : mostRows)

/** Never cut without a word: who asked for all and got some would take them for all. */
const requireAll = (list: ListDefinition, { perPage }: ListQuery, total: number) => {
  if (perPage !== -1 || list.most !== undefined || total <= mostOf(list)) return
  throw invalid(
    'perPage',
    `perPage -1 (all) gives at most ${mostOf(list)} rows here, and ${total} match: ask for pages, or export the list`,
  )
}

/** One page with its exact total, written as JSON by the database itself: rows are not parsed and printed again on the way. */
export const listPage = async (db: Db, list: ListDefinition, query: ListQuery): Promise<JsonText> => {
  const { data, total } = list.keys ? await pageByKeys(db, list, list.keys, query) : await wholePage(db, list, query)
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

/** The page and its total side by side, over two connections: a filter that reads every row takes as long for the one as for the other. */
const wholePage = async (db: Db, list: ListDefinition, query: ListQuery): Promise<Page> => {
  const where = conditions(list, query)
  const [{ rows }, counted] = await Promise.all([
    sql<{ data: string }>`
      select coalesce(json_agg(r), '[]')::text as data from (
        select ${fieldList(list)} from ${list.from} where ${where} order by ${order(list, query)} ${limit(list, query)}) r`.execute(
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

/**
 * Keys first, rows second. What finds the keys depends on the values asked for, so it is planned anew each time, which is quick for
 * one narrow table. The wide rows are always fetched in the same way; planning their joins would take longer than running them, so
 * that plan is kept.
 */
const pageByKeys = async (db: Db, list: ListDefinition, keys: Keys, query: ListQuery): Promise<Page> => {
  const where = conditions(list, query)
  // The total beside it here, too; where it is known without counting, its plan is kept.
  const [{ rows: found }, counted] = await Promise.all([
    sql<{ keys: number[] }>`${planAnew} select array(${keysOfPage(list, keys, query, where)}) as keys`.execute(db),
    sql<{ total: number }>`${
      list.total
        ? sql`select ${list.total}`
        : sql`${planAnew} select (select count(*) from ${keys.from} where ${where})`
    } as total`.execute(db),
  ])
  const page = { keys: found[0]?.keys ?? [], total: counted.rows[0]?.total ?? 0 }
  requireAll(list, query, page.total)
  if (page.keys.length === 0) return { data: '[]', total: page.total }
  const { rows } = await sql<{ data: string }>`
    select coalesce(json_agg(r), '[]')::text as data from (
      select ${fieldList(list)} from ${list.from} join unnest(${asLongAsAPage(page.keys)}::bigint[]) with ordinality page(key, place) on page.key = ${keys.key}
      order by page.place) r`.execute(db)
  return { data: rows[0]?.data ?? '[]', total: page.total }
}

/** For a few keys alone the planner would rather make a plan each time, in 4 ms, than keep one; with nothing added they look like a page. */
const asLongAsAPage = (keys: readonly number[]): (number | null)[] => [
  ...keys,
  ...Array<null>(Math.max(0, usualPage - keys.length)).fill(null),
]
const usualPage = 25

/** Past these many rows from each range, putting them together costs more than sorting the whole scope. */
const mostMerged = 2000

const keysOfPage = (
  list: ListDefinition,
  { from, key, isFilterFirst, merged }: Keys,
  query: ListQuery,
  where: Sql,
): Sql => {
  const last = query.page * query.perPage
  const isEachKnown = Object.keys(query.filters).every((name) => merged?.filters?.includes(name))
  if (merged && query.perPage > 0 && last <= mostMerged && isEachKnown)
    return keysOfRanges(list, from, merged, query, last)
  // `offset 0` keeps the planner from looking through it at the order.
  const rows = isFilterFirst ? sql`(select l.* from ${from} where ${where} offset 0) l` : sql`${from} where ${where}`
  return sql`select ${key} from ${rows} order by ${order(list, query)} ${limit(list, query)}`
}

/** Of each range the first keys with their place in the order, and nothing else: whole rows would take the planner half as long again. */
const keysOfRanges = (list: ListDefinition, from: Sql, ranges: MergedRanges, query: ListQuery, last: number): Sql => {
  const inRange = sortedBy({ ...list, sort: { ...list.sort, ...ranges.sort } }, query)
  const where = conditions({ ...list, where: ranges.where }, query)
  const firstOf = (range: Sql) => sql`(select ${list.key} as key, ${sortedBy(list, query)} as place from ${from}
    where ${range} and ${where} order by ${order(list, query, { by: inRange })} limit ${last})`
  const together = { by: sql`l.place`, key: sql`l.key` }
  return sql`select l.key from ${ranges.from(firstOf)} order by ${order(list, query, together)} ${limit(list, query)}`
}

/** One row of the list by its key, in the shape that the list shows; undefined when it is not there or not in scope. */
export const findRow = async <Row>(db: Db, list: ListDefinition, id: number): Promise<Row | undefined> => {
  const where = sql.join([...list.where, sql`${list.key} = ${id}::bigint`], sql` and `)
  const { rows } = await sql<{ row: Row }>`
    select row_to_json(r) as row from (select ${fieldList(list)} from ${list.from} where ${where}) r`.execute(db)
  return rows[0]?.row
}

/** Every matching row, some at a time, as the database gives them: memory does not grow with their number. */
export async function* listChunks(
  db: Db,
  list: ListDefinition,
  query: ListQuery,
): AsyncGenerator<Record<string, unknown>[]> {
  const select = sql`select ${fieldList(list)} from ${list.from} where ${conditions(list, query)} order by ${order(list, query)}`
  const chunks = db.getExecutor().stream(select.compile(db), rowsAtOnce)[Symbol.asyncIterator]()
  const take = () => {
    const next = chunks.next()
    // Heard when it is awaited; until then it must not count as unheard.
    next.catch(() => undefined)
    return next
  }
  try {
    // The database gathers the next rows while these are written.
    let coming = take()
    for (let chunk = await coming; !chunk.done; chunk = await coming) {
      coming = take()
      const rows = chunk.value.rows as Record<string, unknown>[]
      if (rows.length > 0) yield list.finish ? rows.map(list.finish) : rows
    }
  } finally {
    await chunks.return?.()
  }
}
/** Few enough that writing them does not hold up the calls of others, which wait for several such turns. */
const rowsAtOnce = 100

const fieldList = (list: ListDefinition) =>
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

const sortedBy = (list: ListDefinition, { sort }: ListQuery): Sql => {
  if (!sort) return list.defaultOrder
  const expression = list.sort?.[sort.field] ?? list.fields[sort.field]
  if (!expression) throw invalid('sort', `Unknown sort field "${sort.field}"`)
  return expression
}

/** The order that is asked for, where it stands in other words by those. */
const order = (list: ListDefinition, query: ListQuery, { by = sortedBy(list, query), key = list.key } = {}): Sql => {
  if (!query.sort) return sql`${by}, ${key}`
  // An index read backwards gives nothing-at-all first; only where that can occur is it worth losing the index to put it last.
  const isNullable = list.nullable?.includes(query.sort.field) ?? list.keys === undefined
  const direction = query.sort.order === 'ASC' ? sql`asc` : isNullable ? sql`desc nulls last` : sql`desc`
  const keyDirection = query.sort.order === 'DESC' ? sql`desc` : sql`asc`
  return sql`${by} ${direction}, ${key} ${keyDirection}`
}

const limit = (list: ListDefinition, { page, perPage }: ListQuery): Sql =>
  perPage === -1 ? sql`limit ${mostOf(list)}` : sql`limit ${perPage} offset ${(page - 1) * perPage}`

// ── conditions that many lists share ────────────────────────────────────────────────────────────────────────────────

const values = (value: FilterValue) => (Array.isArray(value) ? value : [value])

/** The value, or one of the values, as text; for codes. One is said as one: only then can an index also give the order. */
export const isOneOf =
  (expression: Sql): Condition =>
  (value) => {
    const [first, ...more] = values(value)
    return more.length === 0 && first !== undefined
      ? sql`${expression}::text = ${first}::text`
      : sql`${expression}::text = any(${values(value)}::text[])`
  }

/** Like isOneOf for whole numbers; anything else is refused by name, not by the database. */
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

/** The days that a filter asks for; what is no range is refused by name, and says why. */
export const daysAsked = (field: string, value: FilterValue): DateRange => {
  const text = String(value)
  const range = parseDateRange(text)
  if (!range) throw invalid('filter', dateRangeError(field, text, '[MM/DD/YYYY-MM/DD/YYYY]'))
  return range
}

/** Somewhere in the text, whatever the case; the user's percent signs mean themselves. */
export const contains =
  (expression: Sql): Condition =>
  (value) =>
    sql`${expression} ilike ${`%${escapeLike(values(value).join(' '))}%`}`

export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
