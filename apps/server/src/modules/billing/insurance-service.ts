import {
  type Billing,
  billingOrders,
  billingQuestions,
  type Insurance,
  type InsuranceChange,
  type InsuranceInput,
  insuranceLabels,
  insuredBillTypes,
} from '@lis/contract/billing.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall, WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { findCurrentId } from '../patients/queries.ts'
import { findPreviousInsurance, listInsurances } from './queries.ts'
import { auditBill, auditBilling, type BillPath, lockBilling, requireCodes, setBillType } from './service.ts'

type InsurancePath = BillPath & { insId: number }

export const addInsurance = async (
  call: WriteCallWithQuestions,
  path: BillPath,
  input: InsuranceInput,
): Promise<{ id: number }> => {
  const { bill } = await lockBilling(call, path)
  const others = await listInsurances(call.db, bill.billId)
  const taken = others.find((other) => other.billingOrder === input.billingOrder)
  if (taken)
    throw invalid(
      'billingOrder',
      `Billing Order ${input.billingOrder} (${taken.billingOrderDesc}) is already taken by ${taken.insuranceCompany}`,
    )
  askAboutPolicy(call, others, input)
  call.questions.requireAnswers()
  return store(call, bill, others, input)
}

type Policy = Pick<Insurance, 'insuranceCompany' | 'policyNo'>
const keyOf = ({ insuranceCompany, policyNo }: Policy) => `${insuranceCompany}|${policyNo}`.toLowerCase()

const askAboutPolicy = ({ questions }: WriteCallWithQuestions, others: readonly Insurance[], input: Policy) => {
  const same = input.policyNo && others.find((other) => keyOf(other) === keyOf(input))
  if (!same) return
  questions.ask({
    code: billingQuestions.samePolicy,
    field: 'policyNo',
    message: `Policy ${input.policyNo} of ${same.insuranceCompany} is already on this requisition (${same.billingOrderDesc}).`,
  })
}

const store = async (
  call: WriteCall & Partial<Pick<WriteCallWithQuestions, 'questions'>>,
  bill: Billing,
  others: readonly Insurance[],
  input: InsuranceInput,
): Promise<{ id: number }> => {
  const { db, questions } = call
  await requireBillType(db, input.reqBillTypeCode)
  const company = await findCompany(db, input.insuranceCompany)
  const { id } = await db
    .insertInto('insurance')
    .values({
      billing_id: bill.billId,
      patient_id: bill.patientId,
      billing_order: input.billingOrder,
      ...columns(input),
      insurance_company_id: company?.id ?? null,
      company_name: company?.name ?? input.insuranceCompany,
      company_no: input.insuranceCompanyNo ?? company?.payer_no ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await propagateBillType(call, bill, others)
  const stored = (await listInsurances(db, bill.billId)).find((row) => row.id === id)
  await auditBilling(call, bill.reqId, [{ entity: 'insurance', entityId: id, new: stored, reason: questions?.history }])
  return { id }
}

const columns = (input: InsuranceInput) => ({
  bill_type_code: input.reqBillTypeCode,
  policy_holder: input.policyHolder,
  policy_no: input.policyNo,
  group_no: input.groupNo,
  insured_dob: input.insuredDob,
})

const requireBillType = async (trx: Trx, code: string | null) => {
  await requireCodes(trx, [{ field: 'reqBillTypeCode', type: 'REQBILLTYPE', code }], insuranceLabels)
  if (code !== null && !insuredBillTypes.includes(code))
    throw invalid('reqBillTypeCode', messages.invalid(insuranceLabels.reqBillTypeCode))
}

/** Undefined for a company that is not in the list; such a one has no number of its own. */
const findCompany = (trx: Trx, name: string) =>
  trx
    .selectFrom('insurance_company')
    .select(['id', 'name', 'payer_no'])
    .where((eb) => eb(eb.fn('lower', ['name']), '=', eb.fn('lower', [eb.val(name)])))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

type Company = Awaited<ReturnType<typeof findCompany>>

/** Claims are routed by the number: a new company never keeps the former one's, and an emptied number becomes the listed one. */
const companyNumber = (before: Insurance, change: InsuranceChange, company: Company): string | null => {
  const { insuranceCompany: name = before.insuranceCompany, insuranceCompanyNo: sent } = change
  const former = before.insuranceCompanyNo
  const isOther = name.toLowerCase() !== before.insuranceCompany.toLowerCase()
  const typed = isOther ? (sent === former ? null : sent) : sent === undefined ? former : sent
  return typed ?? company?.payer_no ?? null
}

const primaryOf = (all: readonly Insurance[]) => all.find(({ billingOrder }) => billingOrder === 1)

/**
 * Gives the requisition the bill type of its primary insurance, if that has one, with the former payer in the history. Only when another
 * insurance becomes primary or its bill type changes: any other write must not undo what a person has chosen as Bill To since.
 */
export const propagateBillType = async (call: WriteCall, before: Billing, insurancesBefore: readonly Insurance[]) => {
  const former = primaryOf(insurancesBefore)
  const primary = primaryOf(await listInsurances(call.db, before.billId))
  const code = primary?.reqBillTypeCode
  if (!code || code === before.reqBillTypeCode) return
  if (primary.id === former?.id && code === former.reqBillTypeCode) return
  await setBillType(call.db, before.reqId, code)
  await auditBill(call, before)
}

export const saveInsurance = async (
  call: WriteCallWithQuestions,
  path: InsurancePath,
  change: InsuranceChange,
  expected: number | null,
): Promise<Insurance> => {
  const { db } = call
  const { bill } = await lockBilling(call, path)
  const all = await listInsurances(db, bill.billId)
  const before = requireInsurance(all, path.insId)
  await requireVersion(db, 'insurance', expected, before)
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const next = { ...before, ...sent } as Insurance
  if (keyOf(next) !== keyOf(before)) {
    const others = all.filter(({ id }) => id !== before.id)
    askAboutPolicy(call, others, next)
  }
  call.questions.requireAnswers()
  await requireBillType(db, next.reqBillTypeCode)
  const company = await findCompany(db, next.insuranceCompany)
  const other = all.find((row) => row.id !== before.id && row.billingOrder === next.billingOrder)
  // Both have the same order for a moment; the constraint is checked at the end of the transaction.
  if (other) await setOrder(db, other.id, before.billingOrder)
  await db
    .updateTable('insurance')
    .set({
      billing_order: next.billingOrder,
      ...columns(next),
      ...(change.insuranceCompany !== undefined && {
        insurance_company_id: company?.id ?? null,
        company_name: company?.name ?? next.insuranceCompany,
      }),
      company_no: companyNumber(before, change, company),
      version: sql<number>`version + 1`,
    })
    .where('id', '=', before.id)
    .execute()
  await propagateBillType(call, bill, all)
  const after = await listInsurances(db, bill.billId)
  const changed = [before, ...(other ? [other] : [])].map((row) => ({
    entity: 'insurance',
    entityId: row.id,
    old: row,
    new: requireInsurance(after, row.id),
    reason: call.questions.history,
  }))
  await auditBilling(call, path.id, changed)
  return requireInsurance(after, before.id)
}

const setOrder = (trx: Trx, id: number, order: number) =>
  trx
    .updateTable('insurance')
    .set({ billing_order: order, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()

const requireInsurance = (all: readonly Insurance[], id: number): Insurance => {
  const found = all.find((row) => row.id === id)
  if (!found) throw notFound('Insurance')
  return found
}

export const removeInsurance = async (call: WriteCall, path: InsurancePath) => {
  const { bill } = await lockBilling(call, path)
  const before = requireInsurance(await listInsurances(call.db, bill.billId), path.insId)
  await call.db
    .updateTable('insurance')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', before.id)
    .execute()
  await auditBilling(call, path.id, [{ entity: 'insurance', entityId: before.id, old: before }])
}

/** A copy, so that later corrections do not change the earlier requisition. */
export const copyPreviousInsurance = async (
  call: WriteCall,
  requisitionId: number,
  use: { patientId: number; useBillId: number; useInsuranceId: number },
): Promise<{ id: number }> => {
  const { requisition, bill } = await lockBilling(call, { id: requisitionId })
  const patientId = await findCurrentId(call.db, use.patientId)
  if (patientId !== requisition.patient_id) throw invalid('patientId', messages.invalid('Patient'))
  const previous = await findPreviousInsurance(call.db, call.actor, { ...use, patientId })
  if (!previous) throw notFound('Insurance')
  const own = await listInsurances(call.db, bill.billId)
  const known = own.find(
    (row) => row.insuranceCompany === previous.insuranceCompany && row.policyNo === previous.policyNo,
  )
  if (known) throw conflict(`${known.insuranceCompany} is already the ${known.billingOrderDesc} insurance`)
  const orders = Object.keys(billingOrders).map(Number) as Insurance['billingOrder'][]
  const free = orders.find((order) => !own.some((row) => row.billingOrder === order))
  if (!free) throw conflict('All four billing orders are taken')
  return store(call, bill, own, { ...previous, billingOrder: free })
}
