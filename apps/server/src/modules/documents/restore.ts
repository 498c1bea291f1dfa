import { documentTypes } from '@lis/contract/documents.ts'
import { sql } from 'kysely'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { selectRequisitionLabel } from '../requisition-record/queries.ts'

const typeName = sql`case x.type_code ${sql.join(
  Object.entries(documentTypes).map(([code, { label }]) => sql`when ${sql.lit(code)} then ${sql.lit(label)}`),
  sql` `,
)} else x.type_code end`

interface DocumentRow {
  requisitionId: number
  docTypeCode: string
  docOriginalFileName: string
}

const select = (id: number) => sql`
  select x.requisition_id as "requisitionId", x.type_code as "docTypeCode", f.original_name as "docOriginalFileName"
  from document x join stored_file f on f.id = x.file_id where x.id = ${id}`

/** Files are never thrown away with their record: what comes back can be opened. */
export const deletedDocumentKind: DeletedKind = {
  kind: 'document',
  table: 'document',
  isVersioned: false,
  record: sql`select (${selectRequisitionLabel(sql`x.requisition_id`)}) || ': ' || ${typeName} || ' ' || f.original_name
    from document x join stored_file f on f.id = x.file_id where x.id = d.id`,
  requisition: sql`select x.requisition_id from document x where x.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { requisitionId } = await readRow<DocumentRow>(db, select(id))
    await lockUndeletedParents(db, { requisition: requisitionId })
  },
  afterRestore: async ({ db }, id) => {
    const { requisitionId, ...file } = await readRow<DocumentRow>(db, select(id))
    return { requisitionId, new: file }
  },
}
