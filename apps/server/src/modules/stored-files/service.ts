import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { systemWriteCall } from '../deliveries/system-call.ts'
import { holdReport } from '../deliveries/withdraw.ts'
import { raiseIssue } from '../issues/service.ts'

/** The actor in the history of what the file check does. */
const by = 'File check'
const why = 'the stored file has been changed'

interface Owner {
  requisition_id: number
  original_name: string
  /** The report to hold; null where the file is of an earlier version, a document, or a file of a batch. */
  report_id: number | null
}

/** The requisitions and reports that a stored file belongs to. An encrypted copy belongs to the report it was made from. */
const findOwners = async (db: Db, key: string): Promise<Owner[]> => {
  const { rows } = await sql<Owner>`
    with changed as (select id, original_name from stored_file where object_key = ${key})
    select o.requisition_id, min(c.original_name) as original_name, max(o.report_id) as report_id from changed c join lateral (
      select p.requisition_id, case when v.version_no = p.current_version_no and report_file(v.report_id, v.version_no, v.file_id) = c.id then p.id end as report_id
        from report_version v join report p on p.id = v.report_id where v.file_id = c.id and p.deleted_at is null
      union all select p.requisition_id, case when x.version_no = p.current_version_no and report_file(x.report_id, x.version_no, null) = c.id then p.id end
        from report_version_file x join report p on p.id = x.report_id where x.file_id = c.id and p.deleted_at is null
      union all select d.requisition_id, d.report_id from outbox_message m join report_delivery d on d.message_id = m.id
        where c.id = any(m.attachment_ids) and d.state = 'PENDING'
      union all select requisition_id, null from document where file_id = c.id and deleted_at is null
      union all select requisition_id, null from report_upload_file where file_id = c.id and requisition_id is not null
    ) o on true join requisition r on r.id = o.requisition_id and r.deleted_at is null
    group by o.requisition_id order by o.requisition_id`.execute(db)
  return rows
}

/** Holds the report and raises an issue, once; may be run again at any time. */
export const handleChangedFile = async (db: Db, key: string) => {
  for (const owner of await findOwners(db, key))
    await retryOnConflict(() => db.transaction().execute((trx) => holdAndRaise(trx, owner)))
}

const holdAndRaise = async (trx: Trx, { requisition_id: requisitionId, original_name, report_id }: Owner) => {
  await sql`select 1 from requisition where id = ${requisitionId}::bigint for no key update`.execute(trx)
  if (report_id !== null)
    await holdReport(systemWriteCall(trx, { id: null, name: by }), { reqID: requisitionId, reportID: report_id }, why)
  const issueDesc = `The stored file ${original_name} has been changed`
  if (await isKnown(trx, requisitionId, issueDesc)) return
  await raiseIssue(trx, requisitionId, 'FILECHANGED', {
    by,
    issueDesc,
    issueNote:
      'It is neither shown nor sent. Find out who changed it, then restore the file from a backup or make a corrected report.',
    isSeparate: true,
  })
}

/** Every request for the file finds the same change. */
const isKnown = async (trx: Trx, requisitionId: number, issueDesc: string): Promise<boolean> => {
  const { rows } = await sql`
    select from issue i join issue_type t on t.id = i.issue_type_id where i.requisition_id = ${requisitionId}::bigint and t.code = 'FILECHANGED'
      and i.description = ${issueDesc} and i.status_code in ('OPEN', 'INPROG') and i.deleted_at is null`.execute(trx)
  return rows.length > 0
}
