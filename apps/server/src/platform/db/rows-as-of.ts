import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Sql } from '../lists.ts'
import type { DB } from './types.ts'

/** The tables of which every version of a row is kept (`record_version`). */
type DatedTable =
  | 'test'
  | 'collaborator_test_range'
  | 'client_test_price'
  | 'critical_limit'
  | 'autoverify_rule'
  | 'reflex_rule'
  | 'reflex_rule_test'
  | 'lab'
  | 'lab_accreditation'

/** The end of a day in a zone, an SQL expression: what was changed on that day counts for it. */
export const endOfDay = (day: string, zone: Sql): Sql => sql`((${day}::date + 1)::timestamp at time zone ${zone})`

/**
 * The rows of a table as they were just before an instant; today's rows without one. `ownerId` limits them to those of one client,
 * collaborator or laboratory.
 */
export const tableAsOf = <Table extends DatedTable>(
  table: Table,
  before: Sql | undefined,
  ownerId?: number,
): RawBuilder<Selectable<DB[Table]>> => {
  if (before === undefined) return sql`${sql.table(table)}`
  const owned = ownerId === undefined ? sql`` : sql`and v.owner_id = ${ownerId}::bigint`
  return sql`(select x.* from (select distinct on (v.entity_id, v.part) v.data from record_version v
      where v.entity = ${sql.lit(table)} ${owned} and v.valid_from < ${before} order by v.entity_id, v.part, v.id desc) kept
    cross join jsonb_populate_record(null::${sql.table(table)}, kept.data) x where kept.data is not null)`
}

/** The same under a name, as a part of `from`. */
export const rowsAsOf = (...[table, alias, before, ownerId]: [DatedTable, string, Sql | undefined, number?]): Sql =>
  sql`${tableAsOf(table, before, ownerId)} as ${sql.ref(alias)}`
