import { deletedKinds } from '@lis/contract/resources.ts'
import { sql } from 'kysely'
import { requireDays } from '../../platform/date-filter.ts'
import { isOnHomeDays } from '../../platform/home-zone.ts'
import { contains, isOneOf, type ListDefinition, type Sql } from '../../platform/lists.ts'
import type { DeletedKind } from './service.ts'

/** One value for each kind of record. */
const byKind = (kinds: readonly DeletedKind[], value: (kind: DeletedKind) => Sql) =>
  sql`case d.kind ${sql.join(
    kinds.map((kind) => sql`when ${sql.lit(kind.kind)} then ${value(kind)}`),
    sql` `,
  )} end`

/** Documents and billing records have one action for every change: one without new data was a deletion. */
const deletedBy = sql`(select a.actor_name from audit_entry a where a.entity = d.entity and a.entity_id = d.id
  and (a.action = 'DELETE' or (a.action in ('DOC', 'BILLING') and a.new_data is null)) order by a.chain_no desc limit 1)`

/**
 * All deleted records of all kinds. The rows are found by partial indexes on deleted rows; their descriptions, which read further tables,
 * are computed only for the rows that are shown or searched.
 */
export const deletedList = (kinds: readonly DeletedKind[]): ListDefinition => {
  const record = byKind(kinds, (kind) => sql`(${kind.record})`)
  return {
    from: sql`(${sql.join(
      kinds.map(
        ({ kind, table }) =>
          sql`select ${sql.lit(kind)}::text as kind, ${sql.lit(table)}::text as entity, t.id::bigint as id, t.deleted_at
            from ${sql.table(table)} t where t.deleted_at is not null`,
      ),
      sql` union all `,
    )}) d`,
    where: [],
    fields: {
      id: sql`d.kind || '-' || d.id`,
      kind: sql`d.kind`,
      recordId: sql`d.id`,
      record,
      deletedDate: sql`d.deleted_at`,
      deletedBy,
      reqId: byKind(kinds, ({ requisition }) => (requisition ? sql`(${requisition})` : sql`null`)),
    },
    sort: { kind: byKind(kinds, ({ kind }) => sql.lit(deletedKinds[kind])), record: sql`lower(${record})` },
    filter: {
      kind: isOneOf(sql`d.kind`),
      deletedDate: (value) => isOnHomeDays(sql`d.deleted_at`, requireDays('deletedDate', value)),
      deletedBy: contains(deletedBy),
      search: contains(record),
    },
    defaultOrder: sql`d.deleted_at desc`,
    key: sql`d.kind, d.id`,
  }
}
