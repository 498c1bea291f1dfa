import { type Patient, type PatientInput, patientMessages } from '@lis/contract/patients.ts'
import type { PatientChange } from '@lis/contract/requisitions/patient-changes.ts'
import { isEditable } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { setIssueStatus } from '../issues/service.ts'
import { changePatient, lockVisiblePatient, type PatientCall } from '../patients/service.ts'
import { lockRequisition, type RequisitionHead } from '../requisition-record/queries.ts'
import { describedFields, type Facts, fieldsOf } from './patient-review.ts'
import { dropKeptIdentity, propagatePatient } from './propagate-changes.ts'

const storedChanges = (db: Db, requisitionId: number) =>
  db
    .selectFrom('patient_change as c')
    .innerJoin('app_user as u', 'u.id', 'c.requested_by')
    .select((eb) => [
      'c.id',
      'c.patient_id',
      'c.issue_id',
      eb.ref('c.before').$castTo<Facts>().as('before'),
      eb.ref('c.after').$castTo<Facts>().as('after'),
      'c.is_taken',
      'c.requested_at',
      sql<string>`${eb.ref('u.first_name')} || ' ' || ${eb.ref('u.last_name')}`.as('requested_by'),
    ])
    .where('c.requisition_id', '=', bigint(requisitionId))

type StoredChange = NonNullable<Awaited<ReturnType<ReturnType<typeof storedChanges>['executeTakeFirst']>>>

export const listPatientChanges = async (db: Db, requisitionId: number): Promise<PatientChange[]> => {
  const rows = await storedChanges(db, requisitionId).where('c.is_taken', 'is', null).orderBy('c.id').execute()
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
  const change = await storedChanges(db, requisitionId)
    .where('c.id', '=', bigint(changeId))
    .forUpdate('c')
    .executeTakeFirst()
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

const takeOver = async (call: PatientCall, head: RequisitionHead, change: StoredChange) => {
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
