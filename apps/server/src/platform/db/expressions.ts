import { type Expression, type RawBuilder, sql } from 'kysely'

// Expressions that many reads share. Each takes and gives typed expressions, so it fits the query builder (`eb.ref('c.is_active')`)
// as well as a statement in SQL (sql`c.is_active`).

/** A condition as the 1 or 0 of the wire; null counts as 0. */
export const flag01 = (condition: Expression<unknown>): RawBuilder<0 | 1> =>
  sql`case when ${condition} then 1 else 0 end`

/** A yes, no or unknown as the 1, 0 or null of the wire. */
export const flag01OrNull = (condition: Expression<unknown>): RawBuilder<0 | 1 | null> =>
  sql`case ${condition} when true then 1 when false then 0 end`

/** An id from outside, to compare a column with: one too large for the column matches nothing instead of failing. */
export const bigint = (id: number | null): RawBuilder<number> => sql`${id}::bigint`

/** For `where('id', '=', anyId(ids))`: one statement, prepared once, whatever the number of ids. */
export const anyId = (ids: readonly number[]): RawBuilder<number> => sql`any(${[...ids]}::bigint[])`

/** The same for codes and other texts. */
export const anyText = <Text extends string = string>(texts: readonly Text[]): RawBuilder<Text> =>
  sql`any(${[...texts]}::text[])`
