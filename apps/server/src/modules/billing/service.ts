import {
  type Billing,
  type BillingInput,
  billingQuestions,
  clearedByRelation,
  guarantorAddressFields,
  guarantorInput,
  guarantorLabels,
  guarantorPersonFields,
  insuranceLabels,
  isGuarantorHidden,
} from '@lis/contract/billing.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { invalid, invalidInput, notFound } from '../../platform/errors.ts'
import type { AskingCall, WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { plainly } from '../../platform/plain-words.ts'
import { isZipValidForState, unknownCodes } from '../lookups/queries.ts'
import { lockRequisition, type RequisitionHead, requireRequisition } from '../requisition-record/queries.ts'
import { billingOf } from './queries.ts'

export interface BillPath {
  id: number
  billId: number
}

/** Everything about billing stands in the history of its requisition under the same action. */
export const auditBilling = (
  { db, actor, requestId }: WriteCall,
  requisitionId: number,
  records: Omit<AuditRecord, 'action' | 'requisitionId'>[],
) =>
  recordAudit(
    db,
    actor,
    requestId,
    records.map((record) => ({ ...record, action: 'BILLING', requisitionId })),
  )

export const readBilling = async (db: Db, actor: Actor, path: BillPath | { id: number }): Promise<Billing> => {
  const { id } = await requireRequisition(db, actor, path.id)
  return requireBill(db, { ...path, id })
}

/** A bill is reached only through the requisition that it belongs to. */
const requireBill = async (db: Db, path: BillPath | { id: number }): Promise<Billing> => {
  const found = await billingOf(db, path.id)
  if ('billId' in path && found.billId !== path.billId) throw notFound('Billing')
  return found
}

export const holdBilling = async (
  { db, actor }: WriteCall,
  path: BillPath | { id: number },
): Promise<{ requisition: RequisitionHead; bill: Billing }> => {
  const requisition = await lockRequisition(db, actor, path.id)
  return { requisition, bill: await requireBill(db, path) }
}

/** Codes that are not, or no longer, in their lists are refused by the field they came in. */
export const requireCodes = async (
  db: Db,
  codes: Parameters<typeof unknownCodes>[1],
  labels: Readonly<Record<string, string>>,
) => {
  const [wrong] = await unknownCodes(db, codes)
  if (wrong) throw invalid(wrong.field, messages.invalid(labels[wrong.field] ?? wrong.field))
}

export const saveBilling = async (
  call: AskingCall,
  path: BillPath,
  input: BillingInput,
  expected: number | null,
): Promise<Billing> => {
  const { db } = call
  const { requisition, bill: before } = await holdBilling(call, path)
  await requireVersion(db, 'billing', expected, before)
  const { reqBillTypeCode, ...guarantor } = input
  if (Object.values(guarantor).some((value) => value !== undefined)) {
    await saveGuarantor(call, before, guarantor, requisition.status_code)
  }
  if (reqBillTypeCode !== undefined && reqBillTypeCode !== before.reqBillTypeCode) {
    await requireCodes(db, [{ field: 'reqBillTypeCode', type: 'REQBILLTYPE', code: reqBillTypeCode }], insuranceLabels)
    await setBillType(db, path.id, reqBillTypeCode)
  }
  await db.updateTable('billing').set({ version: sql<number>`version + 1` }).where('id', '=', before.billId).execute()
  return auditBill(call, before, call.questions.history)
}

/** Guarantor and payer, as they were and as they are now. */
export const auditBill = async (call: WriteCall, before: Billing, reason?: string): Promise<Billing> => {
  const after = await billingOf(call.db, before.reqId)
  await auditBilling(call, before.reqId, [
    { entity: 'billing', entityId: before.billId, old: stored(before), new: stored(after), reason },
  ])
  return after
}

const stored = ({ patient: _, ...record }: Billing) => record

export const setBillType = (trx: Trx, requisitionId: number, code: string) =>
  trx
    .updateTable('requisition')
    .set({ bill_type_code: code, version: sql<number>`version + 1` })
    .where('id', '=', requisitionId)
    .execute()

type GuarantorChange = Omit<BillingInput, 'reqBillTypeCode'>

const saveGuarantor = async (call: AskingCall, before: Billing, change: GuarantorChange, status: string) => {
  const { db: trx } = call
  const relation = change.relationTypeCode ?? before.relationTypeCode
  const cleared = relation === before.relationTypeCode ? [] : clearedByRelation(relation)
  const kept = Object.fromEntries(
    Object.keys(guarantorLabels).map((name) => [
      name,
      cleared.includes(name) ? null : before[name as keyof typeof guarantorLabels],
    ]),
  )
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const next = { ...kept, ...sent, relationTypeCode: relation } as Pick<Billing, keyof typeof guarantorLabels>
  if (!isGuarantorHidden(relation, status)) {
    const checked = guarantorInput.safeParse(next, plainly)
    if (!checked.success) throw invalidInput(checked.error)
  }
  await requireCodes(
    trx,
    [
      { field: 'relationTypeCode', type: 'RELATIONTYPE', code: relation },
      { field: 'guarantorGenderCode', type: 'GENDER', code: next.guarantorGenderCode },
    ],
    guarantorLabels,
  )
  if (next.guarantorStateId !== null) await requireState(trx, next.guarantorStateId)
  const isZipNew = next.guarantorZip !== before.guarantorZip || next.guarantorStateId !== before.guarantorStateId
  if (isZipNew && !(await isZipValidForState(trx, next.guarantorStateId, next.guarantorZip)))
    throw invalid('guarantorZip', messages.invalid(guarantorLabels.guarantorZip))
  askAboutSelf(call, before, next)
  call.questions.requireAnswers()
  await trx
    .updateTable('billing')
    .set({ relation_type_code: relation, ...guarantorColumns(next) })
    .where('id', '=', before.billId)
    .execute()
}

/** Who pays as 'Self' is the patient. */
const askAboutSelf = ({ questions }: AskingCall, before: Billing, next: Guarantor & { relationTypeCode: string }) => {
  const nameOf = (one: Pick<Guarantor, 'guarantorFirstName' | 'guarantorLastName'>) =>
    `${one.guarantorLastName}, ${one.guarantorFirstName}`
  const isChanged = next.relationTypeCode !== before.relationTypeCode || nameOf(next) !== nameOf(before)
  if (!isChanged || next.relationTypeCode !== 'SELF' || !next.guarantorLastName) return
  if (nameOf(next).toLowerCase() === nameOf(before.patient).toLowerCase()) return
  questions.ask({
    code: billingQuestions.selfOtherName,
    field: 'relationTypeCode',
    message: `'Self' is the patient, ${nameOf(before.patient)}, and the guarantor is ${nameOf(next)}.`,
  })
}

const guarantorFields = [...guarantorPersonFields, ...guarantorAddressFields]
type Guarantor = Pick<Billing, (typeof guarantorFields)[number]>

const guarantorColumns = (guarantor: Guarantor) => ({
  guarantor_first_name: guarantor.guarantorFirstName,
  guarantor_middle_name: guarantor.guarantorMiddleName,
  guarantor_last_name: guarantor.guarantorLastName,
  guarantor_dob: guarantor.guarantorDob,
  guarantor_gender_code: guarantor.guarantorGenderCode,
  state_id: guarantor.guarantorStateId,
  city: guarantor.guarantorCity,
  zip: guarantor.guarantorZip,
  addr1: guarantor.guarantorAddr1,
  addr2: guarantor.guarantorAddr2,
})

/**
 * The requisition goes to another patient: who paid as 'Self' was the former one. Emptied and not filled with the new one, of whom nobody has
 * said it; a form that still shows the former one is out of date by the version. Any other guarantor came with the order and stays.
 */
export const clearSelfGuarantor = async (call: WriteCall, requisitionId: number) => {
  const before = await billingOf(call.db, requisitionId)
  if (before.relationTypeCode !== 'SELF' || guarantorFields.every((name) => before[name] === null)) return
  const nobody = Object.fromEntries(guarantorFields.map((name) => [name, null])) as Guarantor
  await call.db
    .updateTable('billing')
    .set({ ...guarantorColumns(nobody), version: sql<number>`version + 1` })
    .where('id', '=', before.billId)
    .execute()
  await auditBill(call, before)
}

const requireState = async (trx: Trx, id: number) => {
  const { rows } = await sql`select 1 from state where id = ${id}::bigint`.execute(trx)
  if (rows.length === 0) throw invalid('guarantorStateId', messages.invalid(guarantorLabels.guarantorStateId))
}

// ── notes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const addNote = async (call: WriteCall, requisitionId: number, note: string): Promise<{ id: number }> => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const { id } = await db
    .insertInto('billing_note')
    .values({ requisition_id: requisitionId, note, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await auditBilling(call, requisitionId, [{ entity: 'billing_note', entityId: id, new: { note } }])
  return { id }
}

/** All of them or none: a note that is not there stops the rest. */
export const removeNotes = async (call: WriteCall, requisitionId: number, ids: readonly number[]) => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const { rows } = await sql<{ id: number; note: string }>`
    update billing_note set deleted_at = now() where id = any(${[...ids]}::bigint[]) and requisition_id = ${requisitionId} and deleted_at is null
    returning id, note`.execute(db)
  if (rows.length < ids.length) throw notFound('Billing note')
  await auditBilling(
    call,
    requisitionId,
    rows.map(({ id, note }) => ({ entity: 'billing_note', entityId: id, old: { note } })),
  )
}
