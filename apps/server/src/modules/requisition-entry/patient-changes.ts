import { type Patient, type PatientInput, patientMessages } from '@lis/contract/patients.ts'
import type { PatientChange } from '@lis/contract/requisitions/patient-changes.ts'
import { isEditable } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { setIssueStatus } from '../issues/service.ts'
import { changePatient, lockVisiblePatient, type PatientCall } from '../patients/service.ts'
import { lockRequisition, type RequisitionHead } from '../requisition-record/queries.ts'
import { describedFields, type Facts, fieldsOf } from './patient-review.ts'
import { dropKeptIdentity, propagatePatient } from './propagate-changes.ts'

interface Stored {
  id: number
  patient_id: number
  issue_id: number | null
  before: Facts
  after: Facts
  is_taken: boolean | null
  requested_by: string
  requested_at: string
}

const stored = sql`select c.id, c.patient_id, c.issue_id, c.before, c.after, c.is_taken, c.requested_at,
  u.first_name || ' ' || u.last_name as requested_by from patient_change c join app_user u on u.id = c.requested_by`

export const listPatientChanges = async (db: Db, requisitionId: number): Promise<PatientChange[]> => {
  const { rows } = await sql<Stored>`${stored}
    where c.requisition_id = ${requisitionId}::bigint and c.is_taken is null order by c.id`.execute(db)
  return Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      requestedBy: row.requested_by,
      requestDate: row.requested_at,
      fields: await describedFields(db, row.before, row.after),
    })),
  )
}

/** Takes the change over or refuses it; either ends its issue. */
export const decidePatientChange = async (
  call: PatientCall,
  requisitionId: number,
  changeId: number,
  isTaken: boolean,
) => {
  const { db, actor, requestId } = call
  const head = await lockRequisition(db, actor, requisitionId)
  const { rows } = await sql<Stored>`${stored}
    where c.requisition_id = ${requisitionId}::bigint and c.id = ${changeId}::bigint for update of c`.execute(db)
  const [change] = rows
  if (!change) throw notFound('Patient change')
  if (change.is_taken !== null) throw conflict(`The change was ${change.is_taken ? 'taken over' : 'refused'} already`)
  if (isTaken) await takeOver(call, head, change)
  await sql`update patient_change set is_taken = ${isTaken}, decided_by = ${actor.userId}, decided_at = now()
    where id = ${changeId}`.execute(db)
  await recordAudit(db, actor, requestId, {
    entity: 'patient_change',
    entityId: changeId,
    requisitionId,
    action: 'EDIT',
    old: change.before,
    new: change.after,
    reason: isTaken ? 'Taken over' : 'Refused',
  })
  if (change.issue_id !== null) await endIssue(call, requisitionId, change.issue_id)
}

const takeOver = async (call: PatientCall, head: RequisitionHead, change: Stored) => {
  const before = await lockVisiblePatient(call, change.patient_id)
  const isAsBefore = fieldsOf(change.before, change.after).every(
    (one) => (before[one.field as keyof Patient] ?? null) === one.before,
  )
  if (!isAsBefore) throw conflict(patientMessages.changedSinceRequest)
  const after = await changePatient(call, before, change.after as Partial<PatientInput>, null, {
    requisitionId: head.id,
  })
  await propagatePatient(call, before, after)
  if (isEditable(head.status_code)) await dropKeptIdentity(call, head, after)
}

/** A person may have ended or deleted it meanwhile. */
const endIssue = async (call: WriteCall, requisitionId: number, issueId: number) => {
  const { rows } = await sql`select from issue where id = ${issueId} and deleted_at is null
    and status_code in ('OPEN', 'INPROG')`.execute(call.db)
  if (rows.length > 0) await setIssueStatus(call, requisitionId, issueId, 'RESOLVED', null)
}
