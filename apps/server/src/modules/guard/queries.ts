import type { BatchType } from '@lis/contract/batch-files.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'

/** The record a file would be filed under. */
export interface GuardRecord {
  reqId: number
  firstName: string
  middleName: string | null
  lastName: string
  /** ISO. */
  dob: string
  /** The same order as others number it. */
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
  const { rows } = await sql<
    Omit<TargetRecord, 'extIds'> & { extOrderId: string | null; extAccessionId: string | null }
  >`
    select r.id as "reqId", p.id as "patientId", p.first_name as "firstName", p.middle_name as "middleName", p.last_name as "lastName", p.dob::text as dob,
      r.ext_order_id as "extOrderId", r.ext_accession_id as "extAccessionId", c.name as "clientName", r.status_code as status
    from requisition r join requisition_patient p on p.requisition_id = r.id join client c on c.id = r.client_id
    where r.id = ${reqId}::bigint and r.deleted_at is null
      and (${collaboratorId}::int is null or r.collaborator_id = ${collaboratorId}::int)`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { extOrderId, extAccessionId, ...record } = row
  return { ...record, extIds: [extOrderId, extAccessionId].filter((text) => text !== null) }
}

/** Those of the numbers that are requisitions. */
export const existingRequisitions = async (db: Db | Trx, numbers: readonly number[]): Promise<number[]> => {
  if (numbers.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select id from requisition where id = any(${numbers}::bigint[]) and deleted_at is null order by id`.execute(db)
  return rows.map(({ id }) => id)
}

export interface Copy {
  requisition_id: number
  report_id: number | null
  document_id: number | null
}

/**
 * Where the same bytes have been filed already. Nearly always nowhere, which one look into an index tells. Whoever files the same bytes
 * elsewhere queues here until the transaction ends, so the requisition must be held before: everybody takes the two in that order.
 */
export const lockAndFindCopies = async (trx: Trx, type: BatchType, fileId: number): Promise<Copy[]> => {
  await sql`
    select pg_advisory_xact_lock(hashtext('stored_file.sha256:' || encode(sha256, 'hex'))) from stored_file where id = ${fileId}::bigint`.execute(
    trx,
  )
  const { rows: same } = await sql<{ id: number }>`
    select o.id from stored_file o where o.sha256 = (select sha256 from stored_file where id = ${fileId}::bigint) and o.id <> ${fileId}::bigint`.execute(
    trx,
  )
  if (same.length === 0) return []
  const ids = same.map(({ id }) => id)
  const { rows } =
    type === 'REPORT'
      ? await sql<Copy>`select p.requisition_id, p.id as report_id, null::bigint as document_id from report p
          join report_version v on v.report_id = p.id where p.deleted_at is null and v.file_id = any(${ids}::bigint[]) order by p.id`.execute(
          trx,
        )
      : await sql<Copy>`select d.requisition_id, null::bigint as report_id, d.id as document_id from document d
          where d.deleted_at is null and d.type_code = 'SCANREQ' and d.file_id = any(${ids}::bigint[]) order by d.id`.execute(
          trx,
        )
  return rows
}
