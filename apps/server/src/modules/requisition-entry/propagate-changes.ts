import { superAdmins } from '@lis/contract/access/roles.ts'
import { type Patient, patientLabels } from '@lis/contract/patients.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import type { IdentityAtRelease } from '@lis/contract/requisitions/edit.ts'
import { statusOf } from '@lis/contract/requisitions/status.ts'
import type { Sex } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { announce } from '../../platform/domain-events.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { reinterpretResults } from '../lab-tests/reinterpret.ts'
import { differences } from '../patients/service.ts'
import { lockRequisitions, type RequisitionHead, requisitionsOfPatient } from '../requisition-record/queries.ts'
import { changedIdentity } from './identity.ts'
import { removeKeptIdentity } from './kept-identity.ts'

// Consequences when a requisition gets another patient, client or physician, or its patient's record changes: reports that print the
// former data are held until a person decides, and results are interpreted again by the sex and ranges that apply now.

const printedOfPatient = [
  'patientFirstName',
  'patientMiddleName',
  'patientLastName',
  'patientDob',
  'patientGenderCode',
] as const

/** The requisition has another patient now. */
export const propagateNewPatient = async (write: WriteCall, id: number) => {
  await reinterpretResults(write, [id])
  await announce(write, 'recordChanged', { requisitionIds: [id], changed: ['Patient'] })
}

/**
 * The patient's record has changed. Delivered reports stay as they are, because a name may change over the years; but a result whose
 * interpretation changes with the sex holds its report in any state.
 */
export const propagatePatient = async (write: WriteCall, before: Patient, after: Patient) => {
  const changed = printedOfPatient.filter((name) => before[name] !== after[name])
  if (changed.length === 0) return
  const isOtherIdentity = (await changedIdentity(write.db, before, after)).length > 0
  const change = { patientId: after.id, changed, formerSex: sexOf(before), isOtherIdentity }
  await propagateChange(write, change)
  const { actor } = write
  if (superAdmins.some((role) => role === actor.role)) return
  // Requisitions of the same patient outside this person's scope are changed by a job.
  const { sessionId: _, ...requester } = actor
  await startJob(write.db, propagatePatientJob, { ...change, requester }, { userId: actor.userId })
}

/** Applies a corrected patient to requisitions outside the scope of the person who made the correction. */
export const propagatePatientJob = defineJob<PatientChange & { requester: Omit<Actor, 'sessionId'> }>({
  kind: 'patients.follow',
  run: async ({ id, services }, { requester, ...change }) => {
    const db = services.databases(systemScope)
    const actor = { ...requester, sessionId: '', scope: systemScope }
    await retryOnConflict(() =>
      db.transaction().execute((trx) => propagateChange({ db: trx, actor, requestId: id }, change)),
    )
  },
})

interface PatientChange {
  patientId: number
  changed: readonly (typeof printedOfPatient)[number][]
  formerSex: Sex | null
  /** More than a different spelling: demographic QC has to be repeated. */
  isOtherIdentity?: boolean
}

/** Applies the change to all requisitions of the patient in the actor's scope; repeating it changes nothing. */
const propagateChange = async (write: WriteCall, { patientId, ...change }: PatientChange) => {
  const { rows } = await sql<{
    id: number
  }>`select r.id ${requisitionsOfPatient(write.actor, sql`${patientId}::bigint`)}`.execute(write.db)
  await propagateTo(
    write,
    rows.map(({ id }) => id),
    change,
  )
}

/** These requisitions show another name, birth date or sex now, because their patient's record is another one. */
export const propagateRecord = async (
  write: WriteCall,
  requisitionIds: readonly number[],
  before: Patient,
  after: Patient,
) => {
  const changed = printedOfPatient.filter((name) => before[name] !== after[name])
  if (changed.length === 0) return
  const isOtherIdentity = (await changedIdentity(write.db, before, after)).length > 0
  await propagateTo(write, requisitionIds, { changed, formerSex: sexOf(before), isOtherIdentity })
}

const propagateTo = async (
  write: WriteCall,
  requisitionIds: readonly number[],
  { changed, formerSex, isOtherIdentity = false }: Omit<PatientChange, 'patientId'>,
) => {
  const heads = await lockRequisitions(write.db, write.actor, requisitionIds)
  const ids = [...heads.keys()]
  if (isOtherIdentity) await reopenDemographicQc(write, [...heads.values()])
  await announce(write, 'recordChanged', {
    requisitionIds: ids,
    changed: changed.map((name) => patientLabels[name]),
    isUndeliveredOnly: true,
  })
  if (changed.includes('patientGenderCode')) {
    await reinterpretResults(write, ids, { formerSex })
    await announce(write, 'resultsChanged', { requisitionIds: ids })
  }
}

/**
 * The patient was edited in a requisition that keeps an earlier identity since its release: from now on it shows the current record, so
 * its reports no longer match.
 */
export const dropKeptIdentity = async (write: WriteCall, head: RequisitionHead, patient: Patient) => {
  const { db, actor, requestId } = write
  const kept = await removeKeptIdentity(db, head.id)
  // An identity kept by this same call is already covered by the patient's audit.
  if (!kept?.isEarlier) return
  const named = ({ patientLastName, patientFirstName, patientDob }: IdentityAtRelease) => ({
    patientName: `${patientLastName}, ${patientFirstName}`,
    patientDob,
  })
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: head.id,
    requisitionId: head.id,
    action: 'EDIT',
    ...differences(named(kept), named(patient)),
  })
  await reopenDemographicQc(write, [head])
  await announce(write, 'recordChanged', { requisitionIds: [head.id], changed: ['Patient'] })
}

/** The pass was for another identity. Delivered requisitions stay as they are. */
const reopenDemographicQc = async ({ db, actor, requestId }: WriteCall, heads: readonly RequisitionHead[]) => {
  const open = heads.filter((head) => statusOf(head.status_code).sortOrder < statusOf('DELIVER').sortOrder)
  const rows = await db
    .updateTable('requisition')
    .set((eb) => ({ is_dem_qc_pass: false, version: eb('version', '+', 1) }))
    .where('id', '=', anyId(open.map(({ id }) => id)))
    .where('is_dem_qc_pass', '=', true)
    .returning('id')
    .execute()
  if (rows.length === 0) return
  await recordAudit(
    db,
    actor,
    requestId,
    rows.map(({ id }) => ({
      entity: 'requisition',
      entityId: id,
      requisitionId: id,
      action: 'EDIT',
      old: { isDemQcPass: 1 },
      new: { isDemQcPass: 0 },
    })),
  )
}

const sexOf = ({ patientGenderCode: code }: Patient): Sex | null => (code === 'MALE' || code === 'FEMALE' ? code : null)

/** Compared by id: two practices or physicians may have the same name. */
const printedOfOrder = {
  colaId: 'Collaborator',
  clientId: 'Client',
  physId: 'Physician',
  labId: 'Laboratory',
  dateCollected: 'Date Collected',
  extOrderId: 'Ext. Order ID',
  isFasting: 'Fasting',
} as const satisfies { [K in keyof RequisitionDetail]?: string }

/** The card of the requisition has changed. */
export const propagateOrder = async (write: WriteCall, before: RequisitionDetail, after: RequisitionDetail) => {
  const { id } = after
  if (before.colaId !== after.colaId) await reinterpretResults(write, [id], { formerCollaboratorId: before.colaId })
  const names = Object.keys(printedOfOrder) as (keyof typeof printedOfOrder)[]
  const printed = names.filter((name) => before[name] !== after[name]).map((name) => printedOfOrder[name])
  if (printed.length > 0) await announce(write, 'recordChanged', { requisitionIds: [id], changed: printed })
  if (before.colaId !== after.colaId) await announce(write, 'deliverToChanged', { requisitionId: id })
  // The recipient of a copy is not printed on the report, so it need not be held for that.
  if (before.copyToClientId !== after.copyToClientId || before.colaId !== after.colaId)
    await announce(write, 'receiversChanged', { requisitionId: id })
}
