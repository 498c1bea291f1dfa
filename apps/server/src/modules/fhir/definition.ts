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
 * How a type of resource is read: where its rows come from, which of them the caller may see, by what they are searched and sorted, and
 * what a row becomes. Search, read, includes, `$everything` and `$export` are all built from it.
 */
export interface FhirType<Row extends BaseRow = BaseRow> {
  type: FhirTypeName
  /** The tables in which rows are found, with what the scope and the search need. */
  from: (reader: Reader) => Sql
  /** The caller's scope, and what there is at all. */
  where: (reader: Reader) => readonly Sql[]
  /** A number; rows come in its order unless sorted otherwise, and new ones at the end. */
  key: Sql
  /** Where the key is computed: its order, and conditions on keys, in columns that have an index. */
  keyed?: { order: Sql; isOneOf: (keys: readonly number[]) => Sql; isFrom: (key: number) => Sql }
  /** The key of an id; null for what can be none. */
  keyOf: (id: string) => number | null
  /** Joined when the keys of a page are known. */
  joins?: Sql
  fields: (reader: Reader) => Record<string, Sql>
  lastUpdated: Sql
  params: Record<string, SearchParam>
  /** Beside `_lastUpdated` and `_id`. */
  sorts: Record<string, Sql>
  /** Adds what takes more than the statement. */
  finish?: (reader: Reader, rows: Row[]) => Promise<Row[]>
  toResource: (row: Row, reader: Reader) => Resource
  /** For the access log; empty for what is about no patient. */
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

/** The keys that follow a key, in the order of the keys, which no change moves. */
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
