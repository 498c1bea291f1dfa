import type { DeletedKindCode } from '@lis/contract/deleted-records.ts'
import { messages } from '@lis/contract/messages.ts'
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

/** One kind of deleted record and how it comes back, as the module that it belongs to defines it. */
export interface DeletedKind {
  kind: DeletedKindCode
  /** The audit knows the record by the same name. */
  table: DeletableTable
  isVersioned: boolean
  /** Selects the words by which people know the record `d.id`; what it belongs to comes first, so that it stays in view. */
  record: Sql
  /** Selects the requisition whose patient the words name. */
  requisition?: Sql
  /** Refuses what cannot be as it was, and says why: what it rests on is deleted too, or somebody has its place now. */
  requireRestorable: (call: RestoreCall, id: number) => Promise<void>
  /** The record lives again: what else must follow, and what the audit keeps of it. */
  afterRestore: (call: RestoreCall, id: number) => Promise<Restored>
}

interface Restored extends Pick<AuditRecord, 'new' | 'requisitionId' | 'clientId'> {
  /** What the administrator has to know besides. */
  note?: string
}

/** Brings one record back; two who restore the same at once do it once. */
export const restoreRecord = async (call: RestoreCall, kind: DeletedKind, id: number): Promise<string> => {
  const { db, actor, requestId } = call
  const table = sql.table(kind.table)
  const { rows } = await sql<{ isDeleted: boolean }>`
    select deleted_at is not null as "isDeleted" from ${table} where id = ${id}::bigint for update`.execute(db)
  if (!rows[0]) throw notFound('Record')
  if (!rows[0].isDeleted) throw conflict('This record is not deleted; somebody may have restored it already')
  await kind.requireRestorable(call, id)
  const version = kind.isVersioned ? sql`, version = version + 1` : sql``
  await sql`update ${table} set deleted_at = null ${version} where id = ${id}::bigint`.execute(db)
  const { note, ...record } = await kind.afterRestore(call, id)
  await recordAudit(db, actor, requestId, { entity: kind.table, entityId: id, action: 'RESTORE', ...record })
  return note ? `${messages.restored}. ${note}` : messages.restored
}

/** What other records rest on: how it is called, and the words for one `p` of them. */
const parents = {
  requisition: { table: 'requisition', what: 'requisition', words: sql`'#' || p.id` },
  patient: { table: 'patient', what: 'patient', words: sql`p.last_name || ', ' || p.first_name` },
  client: { table: 'client', what: 'client', words: sql`p.name || ' (' || p.legacy_client_id || ')'` },
  event: { table: 'client_event', what: 'event', words: sql`p.name` },
  collaborator: { table: 'collaborator', what: 'collaborator', words: sql`p.name` },
  physician: { table: 'physician', what: 'physician', words: sql`p.first_name || ' ' || p.last_name` },
  salesPerson: { table: 'sales_person', what: 'sales person', words: sql`p.first_name || ' ' || p.last_name` },
  user: { table: 'app_user', what: 'user', words: sql`p.first_name || ' ' || p.last_name` },
} as const satisfies Record<string, { table: DeletableTable; what: string; words: Sql }>

type Parents = Partial<Record<keyof typeof parents, number | null | readonly (number | null)[]>>

/** Refuses while something that the record rests on is deleted itself. It is held, so that nobody deletes it in the meantime. */
export const lockUndeletedParents = async (trx: Trx, needed: Parents) => {
  for (const [name, given] of Object.entries(needed)) {
    const { table, what, words } = parents[name as keyof typeof parents]
    const ids = [given].flat().filter((id) => id !== null)
    const { rows } = await sql<{ words: string; isDeleted: boolean }>`
      select ${words} as words, p.deleted_at is not null as "isDeleted" from ${sql.table(table)} p
      where p.id = any(${ids}::bigint[]) order by p.id for no key update`.execute(trx)
    const gone = rows.find(({ isDeleted }) => isDeleted)
    if (gone) throw conflict(`The ${what} ${gone.words} is deleted too. Restore the ${what} first.`)
  }
}

/** The row of a record, deleted or not. */
export const readRow = async <Row>(trx: Trx, select: Sql): Promise<Row> => {
  const { rows } = await sql<Row>`${select}`.execute(trx)
  return rows[0] as Row
}
