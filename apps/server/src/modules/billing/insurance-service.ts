import {
  billingOrders,
  type Insurance,
  type InsuranceChange,
  type InsuranceInput,
  insuranceLabels,
  insuredBillTypes,
} from '@lis/contract/billing.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { conflict, invalid, notFound } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { findPreviousInsurance, insurancesOf } from './queries.ts'
import { auditBilling, type BillPath, holdBilling, requireCodes, setBillType } from './service.ts'

type InsurancePath = BillPath & { insId: number }

export const addInsurance = async (call: WriteCall, path: BillPath, input: InsuranceInput): Promise<{ id: number }> => {
  const { requisition, bill } = await holdBilling(call, path)
  const others = await insurancesOf(call.db, bill.billId)
  const taken = others.find((other) => other.billingOrder === input.billingOrder)
  if (taken)
    throw invalid(
      'billingOrder',
      `Billing Order ${input.billingOrder} (${taken.billingOrderDesc}) is already taken by ${taken.insuranceCompany}`,
    )
  return store(call, { requisitionId: path.id, billId: bill.billId, patientId: requisition.patient_id }, input)
}

interface Owner {
  requisitionId: number
  billId: number
  patientId: number
}

const store = async (call: WriteCall, owner: Owner, input: InsuranceInput): Promise<{ id: number }> => {
  const { db } = call
  await requireBillType(db, input.reqBillTypeCode)
  const company = await findCompany(db, input.insuranceCompany)
  const { id } = await db
    .insertInto('insurance')
    .values({
      billing_id: owner.billId,
      patient_id: owner.patientId,
      billing_order: input.billingOrder,
      ...columns(input),
      insurance_company_id: company?.id ?? null,
      company_name: company?.name ?? input.insuranceCompany,
      company_no: input.insuranceCompanyNo ?? company?.payer_no ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await followBillType(db, owner.requisitionId, owner.billId)
  const stored = (await insurancesOf(db, owner.billId)).find((row) => row.id === id)
  await auditBilling(call, owner.requisitionId, [{ entity: 'insurance', entityId: id, new: stored }])
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

/** A company that is not in the list may be typed; then it has no number of its own. */
const findCompany = async (trx: Trx, name: string) => {
  const { rows } = await sql<{ id: number; name: string; payer_no: string | null }>`
    select id, name, payer_no from insurance_company where lower(name) = lower(${name}) and deleted_at is null`.execute(
    trx,
  )
  return rows[0]
}

/** The primary insurance says who pays for the requisition, where it says so at all. */
const followBillType = async (trx: Trx, requisitionId: number, billId: number) => {
  const primary = (await insurancesOf(trx, billId)).find(({ billingOrder }) => billingOrder === 1)
  if (primary?.reqBillTypeCode) await setBillType(trx, requisitionId, primary.reqBillTypeCode)
}

export const saveInsurance = async (
  call: WriteCall,
  path: InsurancePath,
  change: InsuranceChange,
  expected: number | null,
): Promise<Insurance> => {
  const { db } = call
  const { bill } = await holdBilling(call, path)
  const all = await insurancesOf(db, bill.billId)
  const before = requireInsurance(all, path.insId)
  await requireVersion(db, 'insurance', expected, before)
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const next = { ...before, ...sent } as Insurance
  await requireBillType(db, next.reqBillTypeCode)
  const company = change.insuranceCompany === undefined ? undefined : await findCompany(db, next.insuranceCompany)
  const other = all.find((row) => row.id !== before.id && row.billingOrder === next.billingOrder)
  // Both orders are for a moment the same; the constraint looks at the end of the transaction.
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
      company_no: next.insuranceCompanyNo,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', before.id)
    .execute()
  await followBillType(db, path.id, bill.billId)
  const after = await insurancesOf(db, bill.billId)
  const changed = [before, ...(other ? [other] : [])].map((row) => ({
    entity: 'insurance',
    entityId: row.id,
    old: row,
    new: requireInsurance(after, row.id),
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
  const { bill } = await holdBilling(call, path)
  const before = requireInsurance(await insurancesOf(call.db, bill.billId), path.insId)
  await call.db
    .updateTable('insurance')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', before.id)
    .execute()
  await auditBilling(call, path.id, [{ entity: 'insurance', entityId: before.id, old: before }])
}

/** Copies it: what is corrected here later leaves the earlier requisition as it was. */
export const addPrevious = async (
  call: WriteCall,
  requisitionId: number,
  use: { patientId: number; useBillId: number; useInsuranceId: number },
): Promise<{ id: number }> => {
  const { requisition, bill } = await holdBilling(call, { id: requisitionId })
  if (use.patientId !== requisition.patient_id) throw invalid('patientId', messages.invalid('Patient'))
  const previous = await findPreviousInsurance(call.db, call.actor, use)
  if (!previous) throw notFound('Insurance')
  const own = await insurancesOf(call.db, bill.billId)
  const known = own.find(
    (row) => row.insuranceCompany === previous.insuranceCompany && row.policyNo === previous.policyNo,
  )
  if (known) throw conflict(`${known.insuranceCompany} is already the ${known.billingOrderDesc} insurance`)
  const orders = Object.keys(billingOrders).map(Number) as Insurance['billingOrder'][]
  const free = orders.find((order) => !own.some((row) => row.billingOrder === order))
  if (!free) throw conflict('All four billing orders are taken')
  const owner = { requisitionId, billId: bill.billId, patientId: requisition.patient_id }
  return store(call, owner, { ...previous, billingOrder: free })
}
