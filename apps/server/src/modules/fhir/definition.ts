import type { Resource } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import type { SubjectIds } from '../../platform/audit/access-log.ts'
import { noPreparedPlan } from '../../platform/db/scope.ts'
import type { Sql } from '../../platform/lists.ts'
import type { Reader, SearchParam } from './reader.ts'
import type { FhirTypeName } from './type-names.ts'

export interface BaseRow {
  /** Of the row, for paging. */
  key: number
  lastUpdated: string
}

/**
 * How a type of resource is read: the source of its rows, which of them the caller may see, its search and sort parameters, and how a
 * row becomes a resource. Search, read, includes, `$everything` and `$export` are all built from it.
 */
export interface FhirType<Row extends BaseRow = BaseRow> {
  type: FhirTypeName
  /** The tables in which rows are found, with what the scope and the search need. */
  from: (reader: Reader) => Sql
  /** The scope of the caller, and which rows exist at all. */
  where: (reader: Reader) => readonly Sql[]
  /** A number; rows are in its order unless sorted otherwise, and new rows come last. */
  key: Sql
  /** Where the key is computed: its order, and conditions on keys, in columns that have an index. */
  keyed?: { order: Sql; isOneOf: (keys: readonly number[]) => Sql; isFrom: (key: number) => Sql }
  /** The key of an id; null if the text cannot be one. */
  keyOf: (id: string) => number | null
  /** Joined when the keys of a page are known. */
  joins?: Sql
  fields: (reader: Reader) => Record<string, Sql>
  lastUpdated: Sql
  params: Record<string, SearchParam>
  /** Beside `_lastUpdated` and `_id`. */
  sorts: Record<string, Sql>
  /** Adds what the statement cannot compute. */
  finish?: (reader: Reader, rows: Row[]) => Promise<Row[]>
  toResource: (row: Row, reader: Reader) => Resource
  /** For the access log; empty if no patient is concerned. */
  subjects: (row: Row) => { patientId?: number; reqId?: number }
}

export const defineType = <Row extends BaseRow>(definition: FhirType<Row>): FhirType =>
  definition as unknown as FhirType

const longestNumber = 15

/** The key of a type whose id is the key. */
export const numberKey = (id: string): number | null =>
  /^\d+$/.test(id) && id.length <= longestNumber && Number(id) > 0 ? Number(id) : null

export const hasKey = ({ key, keyed }: FhirType, keys: readonly number[]): Sql =>
  sql`(${keyed?.isOneOf(keys) ?? sql`true`} and ${key} = any(${[...keys]}::bigint[]))`

/** The rows of these keys, in their order; those that the caller may not see are left out. */
export const readRows = async (definition: FhirType, reader: Reader, keys: readonly number[]): Promise<BaseRow[]> => {
  if (keys.length === 0) return []
  const { from, where, key, joins, fields, lastUpdated, finish } = definition
  const columns = Object.entries({ key, lastUpdated, ...fields(reader) }).map(
    ([name, expression]) => sql`${expression} as ${sql.ref(name)}`,
  )
  const { rows } = await sql<{
    row: BaseRow
  }>`select row_to_json(x) as row from (select ${sql.join(columns)} from ${from(reader)} ${joins ?? sql``}
    where ${sql.join([...where(reader), hasKey(definition, keys)], sql` and `)}) x`.execute(reader.db)
  const places = new Map(keys.map((one, place) => [one, place]))
  const ordered = rows
    .map(({ row }) => row)
    .toSorted((one, other) => (places.get(one.key) ?? 0) - (places.get(other.key) ?? 0))
  return finish ? finish(reader, ordered) : ordered
}

/** The keys of matching rows, in an order. */
export const selectKeys = async (
  { from, key }: FhirType,
  reader: Reader,
  { where, order, limit }: { where: readonly Sql[]; order: Sql; limit: number },
): Promise<number[]> => {
  const { rows } = await sql<{ key: number }>`${sql.raw(noPreparedPlan)} select ${key} as key from ${from(reader)}
    where ${where.length > 0 ? sql.join(where, sql` and `) : sql`true`} order by ${order} limit ${limit}::int`.execute(
    reader.db,
  )
  return rows.map((row) => Number(row.key))
}

/** The keys after a given key, in key order, which is stable under changes. */
export const selectKeysAfter = (
  definition: FhirType,
  reader: Reader,
  { where, after, limit }: { where: readonly Sql[]; after: number | null; limit: number },
): Promise<number[]> => {
  const { key, keyed } = definition
  const isBehind = after === null ? [] : [sql`${keyed?.isFrom(after) ?? sql`true`} and ${key} > ${after}::bigint`]
  return selectKeys(definition, reader, { where: [...where, ...isBehind], order: keyed?.order ?? key, limit })
}

/** Whose data the rows are. */
export const subjectsOf = (definition: FhirType, rows: readonly BaseRow[]): Required<SubjectIds> => {
  const subjects = rows.map(definition.subjects)
  return {
    patientIds: new Set(subjects.flatMap(({ patientId }) => patientId ?? [])),
    reqIds: new Set(subjects.flatMap(({ reqId }) => reqId ?? [])),
  }
}
