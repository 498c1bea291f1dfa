import type { BatchType } from '@lis/contract/batch-files.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'

/** The record a file would be filed under. */
export interface GuardRecord {
  reqId: number
  firstName: string
  middleName: string | null
  lastName: string
  /** ISO. */
  dob: string
  /** External ids of the same order. */
  extIds: readonly string[]
}

export interface TargetRecord extends GuardRecord {
  patientId: number
  clientName: string
  status: string
}

/** The requisition a file may go to. A collaborator's files only reach that collaborator's requisitions. */
export const findTarget = async (
  db: Db | Trx,
  reqId: number,
  collaboratorId: number | null = null,
): Promise<TargetRecord | undefined> => {
  const row = await db
    .selectFrom('requisition as r')
    .innerJoin('requisition_patient as p', 'p.requisition_id', 'r.id')
    .innerJoin('client as c', 'c.id', 'r.client_id')
    .select((eb) => [
      'r.id as reqId',
      eb.ref('p.id').$notNull().as('patientId'),
      eb.ref('p.first_name').$notNull().as('firstName'),
      'p.middle_name as middleName',
      eb.ref('p.last_name').$notNull().as('lastName'),
      sql<string>`${eb.ref('p.dob')}::text`.as('dob'),
      'r.ext_order_id as extOrderId',
      'r.ext_accession_id as extAccessionId',
      'c.name as clientName',
      'r.status_code as status',
    ])
    .where('r.id', '=', bigint(reqId))
    .where('r.deleted_at', 'is', null)
    .$if(collaboratorId !== null, (query) => query.where('r.collaborator_id', '=', collaboratorId as number))
    .executeTakeFirst()
  if (!row) return undefined
  const { extOrderId, extAccessionId, ...record } = row
  return { ...record, extIds: [extOrderId, extAccessionId].filter((text) => text !== null) }
}

/** Those of the numbers that are requisitions. */
export const existingRequisitions = async (db: Db | Trx, numbers: readonly number[]): Promise<number[]> => {
  if (numbers.length === 0) return []
  const rows = await db
    .selectFrom('requisition')
    .select('id')
    .where('id', '=', anyId(numbers))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export interface Copy {
  requisition_id: number
  report_id: number | null
  document_id: number | null
}

/**
 * Where a file with the same content is already filed; one index lookup when there is none. Locks the content until the transaction
 * ends. The requisition must be locked before, so that all transactions take the two locks in the same order.
 */
export const lockAndFindCopies = async (trx: Trx, type: BatchType, fileId: number): Promise<Copy[]> => {
  await sql`
    select pg_advisory_xact_lock(hashtext('stored_file.sha256:' || encode(sha256, 'hex'))) from stored_file where id = ${fileId}::bigint`.execute(
    trx,
  )
  const same = await trx
    .selectFrom('stored_file as o')
    .select('o.id')
    .where('o.sha256', '=', (eb) => eb.selectFrom('stored_file').select('sha256').where('id', '=', bigint(fileId)))
    .where('o.id', '<>', bigint(fileId))
    .execute()
  if (same.length === 0) return []
  const anyCopy = anyId(same.map(({ id }) => id))
  if (type === 'REPORT')
    return trx
      .selectFrom('report as p')
      .innerJoin('report_version as v', 'v.report_id', 'p.id')
      .select(['p.requisition_id', 'p.id as report_id', sql<null>`null::bigint`.as('document_id')])
      .where('p.deleted_at', 'is', null)
      .where('v.file_id', '=', anyCopy)
      .orderBy('p.id')
      .execute()
  return trx
    .selectFrom('document as d')
    .select(['d.requisition_id', sql<null>`null::bigint`.as('report_id'), 'd.id as document_id'])
    .where('d.deleted_at', 'is', null)
    .where('d.type_code', '=', sql.lit('SCANREQ'))
    .where('d.file_id', '=', anyCopy)
    .orderBy('d.id')
    .execute()
}
