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
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { invalid, invalidInput, notFound } from '../../platform/errors.ts'
import type { WriteCall, WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { validationMessages } from '../../platform/validation-messages.ts'
import { isZipValidForState, unknownCodes } from '../lookups/queries.ts'
import { lockRequisition, type RequisitionHead, requireRequisition } from '../requisition-record/queries.ts'
import { getOrCreateBilling } from './queries.ts'

export interface BillPath {
  id: number
  billId: number
}

/** All billing changes appear in the history of the requisition under the same action. */
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

/** A bill is found only under its own requisition. */
const requireBill = async (db: Db, path: BillPath | { id: number }): Promise<Billing> => {
  const found = await getOrCreateBilling(db, path.id)
  if ('billId' in path && found.billId !== path.billId) throw notFound('Billing')
  return found
}

export const lockBilling = async (
  { db, actor }: WriteCall,
  path: BillPath | { id: number },
): Promise<{ requisition: RequisitionHead; bill: Billing }> => {
  const requisition = await lockRequisition(db, actor, path.id)
  return { requisition, bill: await requireBill(db, path) }
}

/** Refuses codes that are not (or no longer) in their lists, naming the field. */
export const requireCodes = async (
  db: Db,
  codes: Parameters<typeof unknownCodes>[1],
  labels: Readonly<Record<string, string>>,
) => {
  const [wrong] = await unknownCodes(db, codes)
  if (wrong) throw invalid(wrong.field, messages.invalid(labels[wrong.field] ?? wrong.field))
}

export const saveBilling = async (
  call: WriteCallWithQuestions,
  path: BillPath,
  input: BillingInput,
  expected: number | null,
): Promise<Billing> => {
  const { db } = call
  const { requisition, bill: before } = await lockBilling(call, path)
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

/** Records guarantor and payer before and after. */
export const auditBill = async (call: WriteCall, before: Billing, reason?: string): Promise<Billing> => {
  const after = await getOrCreateBilling(call.db, before.reqId)
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

const saveGuarantor = async (
  call: WriteCallWithQuestions,
  before: Billing,
  change: GuarantorChange,
  status: string,
) => {
  const { db: trx } = call
  const relation = change.relationTypeCode ?? before.relationTypeCode
  const cleared = relation === before.relationTypeCode ? [] : clearedByRelation(relation)
  const preserved = Object.fromEntries(
    Object.keys(guarantorLabels).map((name) => [
      name,
      cleared.includes(name) ? null : before[name as keyof typeof guarantorLabels],
    ]),
  )
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const next = { ...preserved, ...sent, relationTypeCode: relation } as Pick<Billing, keyof typeof guarantorLabels>
  if (!isGuarantorHidden(relation, status)) {
    const checked = guarantorInput.safeParse(next, validationMessages)
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

/** A guarantor 'Self' is the patient, so another name is questioned. */
const askAboutSelf = (
  { questions }: WriteCallWithQuestions,
  before: Billing,
  next: Guarantor & { relationTypeCode: string },
) => {
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
 * When a requisition gets another patient: a guarantor 'Self' was the former one. It is cleared and not replaced, because nobody has named
 * the new patient as guarantor; the new version makes forms that still show the former one outdated. Any other guarantor stays.
 */
export const clearSelfGuarantor = async (call: WriteCall, requisitionId: number) => {
  const before = await getOrCreateBilling(call.db, requisitionId)
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
  const found = await trx.selectFrom('state').select('id').where('id', '=', bigint(id)).executeTakeFirst()
  if (!found) throw invalid('guarantorStateId', messages.invalid(guarantorLabels.guarantorStateId))
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

/** All or none: one unknown note refuses the call. */
export const removeNotes = async (call: WriteCall, requisitionId: number, ids: readonly number[]) => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const rows = await db
    .updateTable('billing_note')
    .set({ deleted_at: sql<string>`now()` })
    .where('id', '=', anyId(ids))
    .where('requisition_id', '=', requisitionId)
    .where('deleted_at', 'is', null)
    .returning(['id', 'note'])
    .execute()
  if (rows.length < ids.length) throw notFound('Billing note')
  await auditBilling(
    call,
    requisitionId,
    rows.map(({ id, note }) => ({ entity: 'billing_note', entityId: id, old: { note } })),
  )
}
