import { messages } from '@lis/contract/messages.ts'
import type { DeletedKindCode } from '@lis/contract/resources.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import type { DB } from '../../platform/db/types.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Sql } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'

type DeletableTable = { [Table in keyof DB]: 'deleted_at' extends keyof DB[Table] ? Table : never }[keyof DB]

export interface RestoreCall extends WriteCall {
  services: Services
}

/** One kind of deleted record and how it is restored, as its module defines it. */
export interface DeletedKind {
  kind: DeletedKindCode
  /** Also the entity of the record in the audit. */
  table: DeletableTable
  isVersioned: boolean
  /** Selects the description of the record `d.id`; its parent comes first, so that it is not truncated. */
  record: Sql
  /** Selects the requisition whose patient the description names. */
  requisition?: Sql
  /** Throws if the record cannot be restored: its parent is deleted too, or another record has its unique value now. */
  requireRestorable?: (call: RestoreCall, id: number) => Promise<void>
  /** Runs after the record is restored; gives what the audit stores. */
  afterRestore: (call: RestoreCall, id: number) => Promise<Restored>
}

interface Restored extends Pick<AuditRecord, 'new' | 'requisitionId' | 'clientId'> {
  /** A note for the administrator. */
  note?: string
}

/** Restores one record; the lock makes the second of two simultaneous calls fail. */
export const restoreRecord = async (call: RestoreCall, kind: DeletedKind, id: number): Promise<string> => {
  const { db, actor, requestId } = call
  const table = sql.table(kind.table)
  const { rows } = await sql<{ isDeleted: boolean }>`
    select deleted_at is not null as "isDeleted" from ${table} where id = ${id}::bigint for update`.execute(db)
  if (!rows[0]) throw notFound('Record')
  if (!rows[0].isDeleted) throw conflict('This record is not deleted; somebody may have restored it already')
  await kind.requireRestorable?.(call, id)
  const version = kind.isVersioned ? sql`, version = version + 1` : sql``
  await sql`update ${table} set deleted_at = null ${version} where id = ${id}::bigint`.execute(db)
  const { note, ...record } = await kind.afterRestore(call, id)
  await recordAudit(db, actor, requestId, { entity: kind.table, entityId: id, action: 'RESTORE', ...record })
  return note ? `${messages.restored}. ${note}` : messages.restored
}

/** The parents of records: the name of the kind, and the description of one `p` of them. */
const parents = {
  requisition: { table: 'requisition', what: 'requisition', description: sql`'#' || p.id` },
  patient: { table: 'patient', what: 'patient', description: sql`p.last_name || ', ' || p.first_name` },
  client: { table: 'client', what: 'client', description: sql`p.name || ' (' || p.legacy_client_id || ')'` },
  event: { table: 'client_event', what: 'event', description: sql`p.name` },
  collaborator: { table: 'collaborator', what: 'collaborator', description: sql`p.name` },
  physician: { table: 'physician', what: 'physician', description: sql`p.first_name || ' ' || p.last_name` },
  salesPerson: { table: 'sales_person', what: 'sales person', description: sql`p.first_name || ' ' || p.last_name` },
  user: { table: 'app_user', what: 'user', description: sql`p.first_name || ' ' || p.last_name` },
} as const satisfies Record<string, { table: DeletableTable; what: string; description: Sql }>

type Parents = Partial<Record<keyof typeof parents, number | null | readonly (number | null)[]>>

/** Throws if a parent of the record is deleted. Locks the parents, so that nobody deletes them meanwhile. */
export const lockUndeletedParents = async (trx: Trx, needed: Parents) => {
  for (const [name, given] of Object.entries(needed)) {
    const { table, what, description } = parents[name as keyof typeof parents]
    const ids = [given].flat().filter((id) => id !== null)
    const { rows } = await sql<{ description: string; isDeleted: boolean }>`
      select ${description} as description, p.deleted_at is not null as "isDeleted" from ${sql.table(table)} p
      where p.id = any(${ids}::bigint[]) order by p.id for no key update`.execute(trx)
    const gone = rows.find(({ isDeleted }) => isDeleted)
    if (gone) throw conflict(`The ${what} ${gone.description} is deleted too. Restore the ${what} first.`)
  }
}

/** The row of a record, deleted or not. */
export const readRow = async <Row>(trx: Trx, select: Sql): Promise<Row> => {
  const { rows } = await sql<Row>`${select}`.execute(trx)
  return rows[0] as Row
}
