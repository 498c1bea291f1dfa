import { documentTypes } from '@lis/contract/documents.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { type DeletedKind, lockUndeletedParents } from '../deleted-records/service.ts'
import { selectRequisitionLabel } from '../requisition-record/queries.ts'

const typeName = sql`case x.type_code ${sql.join(
  Object.entries(documentTypes).map(([code, { label }]) => sql`when ${sql.lit(code)} then ${sql.lit(label)}`),
  sql` `,
)} else x.type_code end`

const getDocumentRow = (db: Db, id: number) =>
  db
    .selectFrom('document as x')
    .innerJoin('stored_file as f', 'f.id', 'x.file_id')
    .select([
      'x.requisition_id as requisitionId',
      'x.type_code as docTypeCode',
      'f.original_name as docOriginalFileName',
    ])
    .where('x.id', '=', id)
    .executeTakeFirstOrThrow()

/** A file is not deleted with its record, so a restored document can be opened. */
export const deletedDocumentKind: DeletedKind = {
  kind: 'document',
  table: 'document',
  isVersioned: false,
  record: sql`select (${selectRequisitionLabel(sql`x.requisition_id`)}) || ': ' || ${typeName} || ' ' || f.original_name
    from document x join stored_file f on f.id = x.file_id where x.id = d.id`,
  requisition: sql`select x.requisition_id from document x where x.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { requisitionId } = await getDocumentRow(db, id)
    await lockUndeletedParents(db, { requisition: requisitionId })
  },
  afterRestore: async ({ db }, id) => {
    const { requisitionId, ...file } = await getDocumentRow(db, id)
    return { requisitionId, new: file }
  },
}
