import { superAdmins } from '@lis/contract/access/roles.ts'
import { type Patient, patientLabels } from '@lis/contract/patients.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import type { IdentityAtRelease } from '@lis/contract/requisitions/edit.ts'
import { statusOf } from '@lis/contract/requisitions/status.ts'
import type { Sex } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { announce } from '../../platform/domain-events.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { interpretAgain } from '../lab-tests/interpret-again.ts'
import { differences } from '../patients/service.ts'
import { lockRequisitions, type RequisitionHead, requisitionsOfPatient } from '../requisition-record/queries.ts'
import { changedIdentity } from './identity.ts'
import { removeKeptIdentity } from './kept-identity.ts'

// What follows when whom or whose a requisition is turns out to be otherwise: a report that names the former patient, practice or
// physician does not go out any more without a person's word on it, and results are read by the sex and the ranges that hold now.

const printedOfPatient = [
  'patientFirstName',
  'patientMiddleName',
  'patientLastName',
  'patientDob',
  'patientGenderCode',
] as const

/** The requisition has been given to another patient. */
export const followOtherPatient = async (write: WriteCall, id: number) => {
  await interpretAgain(write, [id])
  await announce(write, 'recordChanged', { requisitionIds: [id], changed: ['Patient'] })
}

/**
 * The patient's own record has changed. Reports that have been delivered stay what they were, for a name may change with the years;
 * but a result that means something else by the other sex holds its report wherever it is.
 */
export const followPatient = async (write: WriteCall, before: Patient, after: Patient) => {
  const changed = printedOfPatient.filter((name) => before[name] !== after[name])
  if (changed.length === 0) return
  const isOtherIdentity = (await changedIdentity(write.db, before, after)).length > 0
  const change = { patientId: after.id, changed, formerSex: sexOf(before), isOtherIdentity }
  await followChange(write, change)
  const { actor } = write
  if (superAdmins.some((role) => role === actor.role)) return
  // Others may have requisitions of the same patient, which this person does not see and need not hear of.
  const { sessionId: _, ...asker } = actor
  await startJob(write.db, followJobKind, { ...change, asker }, { userId: actor.userId })
}

export const followJobKind = 'patients.follow'

export interface PatientChange {
  patientId: number
  changed: readonly (typeof printedOfPatient)[number][]
  formerSex: Sex | null
  /** Not only written differently: demographic QC has to look at who it is. */
  isOtherIdentity?: boolean
}

/** In all requisitions of the patient that the actor sees; done a second time it changes nothing. */
export const followChange = async (
  write: WriteCall,
  { patientId, changed, formerSex, isOtherIdentity = false }: PatientChange,
) => {
  const { rows } = await sql<{
    id: number
  }>`select r.id ${requisitionsOfPatient(write.actor, sql`${patientId}::bigint`)}`.execute(write.db)
  const heads = await lockRequisitions(
    write.db,
    write.actor,
    rows.map(({ id }) => id),
  )
  const ids = [...heads.keys()]
  if (isOtherIdentity) await reopenDemographicQc(write, [...heads.values()])
  await announce(write, 'recordChanged', {
    requisitionIds: ids,
    changed: changed.map((name) => patientLabels[name]),
    isUndeliveredOnly: true,
  })
  if (changed.includes('patientGenderCode')) {
    await interpretAgain(write, ids, { formerSex })
    await announce(write, 'resultsChanged', { requisitionIds: ids })
  }
}

/**
 * The patient was edited in this requisition, which has been released before: from now on it says what the record says, and not what was
 * kept with it. Its reports name somebody else then.
 */
export const followRecordAgain = async (write: WriteCall, head: RequisitionHead, patient: Patient) => {
  const { db, actor, requestId } = write
  const kept = await removeKeptIdentity(db, head.id)
  // One of this very call says what the audit of the patient says already.
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

/** What it has passed was another identity. A report that has been delivered stays what it was. */
const reopenDemographicQc = async ({ db, actor, requestId }: WriteCall, heads: readonly RequisitionHead[]) => {
  const open = heads.filter((head) => statusOf(head.status_code).sortOrder < statusOf('DELIVER').sortOrder)
  const { rows } = await sql<{ id: number }>`
    update requisition set is_dem_qc_pass = false, version = version + 1
    where id = any(${open.map(({ id }) => id)}::bigint[]) and is_dem_qc_pass returning id`.execute(db)
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

/** By their numbers: two practices, or two physicians, may have one name. */
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
export const followOrder = async (write: WriteCall, before: RequisitionDetail, after: RequisitionDetail) => {
  const { id } = after
  if (before.colaId !== after.colaId) await interpretAgain(write, [id], { formerCollaboratorId: before.colaId })
  const names = Object.keys(printedOfOrder) as (keyof typeof printedOfOrder)[]
  const printed = names.filter((name) => before[name] !== after[name]).map((name) => printedOfOrder[name])
  if (printed.length > 0) await announce(write, 'recordChanged', { requisitionIds: [id], changed: printed })
  if (before.colaId !== after.colaId) await announce(write, 'deliverToChanged', { requisitionId: id })
  // Who gets a copy does not stand on the report, so it need not be held for that.
  if (before.copyToClientId !== after.copyToClientId || before.colaId !== after.colaId)
    await announce(write, 'receiversChanged', { requisitionId: id })
}
