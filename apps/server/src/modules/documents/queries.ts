import { documentTypesFor, type RequisitionDocument } from '@lis/contract/documents.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { isOneOf, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

export interface StoredDocument extends RequisitionDocument {
  key: string
  contentType: string
  sha256: string
}

/** Documents of the types that the actor may see, newest first. */
const documents = (actor: Actor, of: Sql, more: Record<string, Sql> = {}): ListDefinition => ({
  from: sql`document d join stored_file f on f.id = d.file_id join requisition_list l on l.requisition_id = d.requisition_id
    left join app_user u on u.id = d.created_by`,
  where: [
    of,
    sql`d.deleted_at is null`,
    sql`d.type_code = any(${documentTypesFor(actor.role)}::text[])`,
    visibleRequisitions(actor),
  ],
  fields: {
    id: sql`d.id`,
    reqId: sql`d.requisition_id`,
    docTypeCode: sql`d.type_code`,
    docCreateDate: sql`d.created_at`,
    docOriginalFileName: sql`f.original_name`,
    docCreateByName: sql`u.first_name || ' ' || u.last_name`,
    ...more,
  },
  filter: { docTypeCode: isOneOf(sql`d.type_code`) },
  defaultOrder: sql`d.id desc`,
  key: sql`d.id`,
})

export const documentsOfRequisition = (actor: Actor, requisitionId: number, more?: Record<string, Sql>) =>
  documents(actor, sql`d.requisition_id = ${requisitionId}::bigint`, more)

export const documentsOfPatient = (actor: Actor, patientId: number) =>
  documents(actor, sql`l.patient_id = ${patientId}::bigint`)
