import { z } from 'zod'
import { icdFormatError, normalizeIcdCode } from './icd-code.ts'
import { bulkIds } from './kit/bulk.ts'
import { done, newId, one, page } from './kit/envelope.ts'
import { byId, del, get, idParam, post, put, repeatWindowMs } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateField, updateFields } from './partial-input.ts'
import {
  email,
  flag01,
  optionalCode,
  optionalId,
  optionalPersonName,
  optionalPhone,
  optionalText,
  orNull,
  pastDate,
  personName,
  required,
  requiredCode,
  requiredId,
} from './validation.ts'

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

/** One label per field: messages, table headers and forms read it. */
export const guarantorLabels = {
  relationTypeCode: 'Relationship',
  guarantorFirstName: 'First Name',
  guarantorMiddleName: 'Middle Name',
  guarantorLastName: 'Last Name',
  guarantorDob: 'Date of Birth',
  guarantorGenderCode: 'Gender',
  guarantorStateId: 'State',
  guarantorCity: 'City',
  guarantorZip: 'ZIP',
  guarantorAddr1: 'Address 1',
  guarantorAddr2: 'Address 2',
} as const
export const insuranceLabels = {
  billingOrder: 'Billing Order',
  reqBillTypeCode: 'Bill Type',
  insuranceCompany: 'Insurance Company',
  insuranceCompanyNo: 'Insurance Company Number',
  policyHolder: 'Policy Holder',
  policyNo: 'Policy Number',
  groupNo: 'Group Number',
  insuredDob: 'Insured Date of Birth',
} as const
export const newBillingOrderLabel = 'New Billing Order'
export const icdLabels = {
  icdIds: 'Select ICD',
  customIcd: 'Custom ICD',
  icdCode: 'ICD Code',
  icdDesc: 'ICD Description',
} as const
export const billNoteLabels = { note: 'Note', billNoteCreateDate: 'Date', billNoteCreateByName: 'By' } as const

/** Which insurance pays first; '3th' is the specification's own spelling. */
export const billingOrders = { 1: 'Primary', 2: 'Secondary', 3: '3th', 4: '4th' } as const
export type BillingOrder = keyof typeof billingOrders
export const billingOrderOptions = Object.entries(billingOrders).map(([order, label]) => ({
  value: Number(order),
  label: `${order} ${label}`,
}))

/** Bill types that an insurance pays; these need a primary one before they can be billed. */
export const insuredBillTypes: readonly string[] = ['INSURANCE', 'MEDICARE', 'MEDICAID']

// ── patient address, as a claim needs it (BLG-G16) ──────────────────────────────────────────────────────────────────

export const billingPatientLabels = {
  patientAddr1: 'Address 1',
  patientAddr2: 'Address 2',
  patientCity: 'City',
  patientStateId: 'State',
  patientZip: 'ZIP',
  patientEmail: 'Email',
  patientHomePhone: 'Home Phone',
  patientWorkPhone: 'Work Phone',
} as const
export const billingPatientInput = z.object({
  patientAddr1: required(billingPatientLabels.patientAddr1, 200),
  patientAddr2: optionalText(billingPatientLabels.patientAddr2, 200),
  patientCity: required(billingPatientLabels.patientCity, 100),
  patientStateId: requiredId(billingPatientLabels.patientStateId),
  patientZip: required(billingPatientLabels.patientZip, 20),
  patientEmail: email(billingPatientLabels.patientEmail),
  patientHomePhone: optionalPhone,
  patientWorkPhone: optionalPhone,
})

// ── guarantor ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The guarantor's personal fields and address fields. */
export const guarantorPersonFields = [
  'guarantorFirstName',
  'guarantorMiddleName',
  'guarantorLastName',
  'guarantorDob',
  'guarantorGenderCode',
] as const
export const guarantorAddressFields = [
  'guarantorStateId',
  'guarantorCity',
  'guarantorZip',
  'guarantorAddr1',
  'guarantorAddr2',
] as const

/** A new relation clears the personal fields; a dependent's also the address (BLG-032, BLG-033). */
export const clearedByRelation = (relation: unknown): readonly string[] =>
  relation === 'DEP' ? [...guarantorPersonFields, ...guarantorAddressFields] : guarantorPersonFields

/** Patients who pay for themselves have no guarantor to show after Accessioned (BLG-031). */
export const isGuarantorHidden = (relation: unknown, status: string): boolean =>
  relation === 'SELF' && status !== 'LOG' && status !== 'ACC'

const today = () => new Date().toISOString().slice(0, 10)

export const guarantorInput = z.object({
  relationTypeCode: requiredCode(guarantorLabels.relationTypeCode),
  guarantorFirstName: personName(guarantorLabels.guarantorFirstName, 100),
  guarantorMiddleName: optionalPersonName(guarantorLabels.guarantorMiddleName, 100),
  guarantorLastName: personName(guarantorLabels.guarantorLastName, 100),
  guarantorDob: pastDate(guarantorLabels.guarantorDob, today),
  guarantorGenderCode: requiredCode(guarantorLabels.guarantorGenderCode),
  guarantorStateId: requiredId(guarantorLabels.guarantorStateId),
  guarantorCity: required(guarantorLabels.guarantorCity, 100),
  guarantorZip: required(guarantorLabels.guarantorZip, 20),
  guarantorAddr1: required(guarantorLabels.guarantorAddr1, 200),
  guarantorAddr2: optionalText(guarantorLabels.guarantorAddr2, 200),
})

/** Every field may be left out, because hidden ones are not sent. The service checks what the merged record lacks. */
const billingInput = z.object({
  ...updateFields({
    ...guarantorInput.shape,
    guarantorFirstName: optionalPersonName(guarantorLabels.guarantorFirstName, 100),
    guarantorLastName: optionalPersonName(guarantorLabels.guarantorLastName, 100),
    guarantorDob: orNull(pastDate(guarantorLabels.guarantorDob, today), messages.invalidDate),
    guarantorGenderCode: optionalCode(guarantorLabels.guarantorGenderCode),
    guarantorStateId: optionalId(guarantorLabels.guarantorStateId),
    guarantorCity: optionalText(guarantorLabels.guarantorCity, 100),
    guarantorZip: optionalText(guarantorLabels.guarantorZip, 20),
    guarantorAddr1: optionalText(guarantorLabels.guarantorAddr1, 200),
  }),
  /** Who pays for the requisition; may be sent alone. */
  reqBillTypeCode: updateField(requiredCode(insuranceLabels.reqBillTypeCode)),
})
export type BillingInput = z.infer<typeof billingInput>

/** The billing record of a requisition: there is always exactly one. */
const billing = z.object({
  id,
  billId: id,
  reqId: id,
  patientId: id,
  reqBillTypeCode: text,
  reqBillTypeDesc: text,
  relationTypeCode: z.string(),
  relationTypeDesc: text,
  guarantorFirstName: text,
  guarantorMiddleName: text,
  guarantorLastName: text,
  guarantorDob: z.iso.date().nullable(),
  guarantorGenderCode: text,
  guarantorGenderDesc: text,
  guarantorStateId: id.nullable(),
  guarantorState: text,
  guarantorCity: text,
  guarantorZip: text,
  guarantorAddr1: text,
  guarantorAddr2: text,
  /** The values of 'Same as patient'. */
  patient: z.object({
    guarantorFirstName: z.string(),
    guarantorMiddleName: text,
    guarantorLastName: z.string(),
    guarantorDob: z.iso.date(),
    guarantorGenderCode: z.string(),
    guarantorStateId: id.nullable(),
    guarantorCity: text,
    guarantorZip: text,
    guarantorAddr1: text,
    guarantorAddr2: text,
  }),
  version: id,
})
export type Billing = z.infer<typeof billing>

// ── insurances ──────────────────────────────────────────────────────────────────────────────────────────────────────

const billingOrder = (label: string) =>
  z.union([z.number(), z.string()], { error: messages.required(label) }).transform((value, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    const order = String(value).trim()
    if (order === '') return refuse(messages.required(label))
    return /^[1-4]$/.test(order) ? (Number(order) as BillingOrder) : refuse(`${label} must be 1 to 4`)
  })

const policyNo = optionalText(insuranceLabels.policyNo, 60).refine(
  (value) => value === null || !/\s/.test(value),
  'Policy Number must not contain spaces',
)

export const insuranceInput = z.object({
  billingOrder: billingOrder(insuranceLabels.billingOrder),
  reqBillTypeCode: optionalCode(insuranceLabels.reqBillTypeCode),
  insuranceCompany: required(insuranceLabels.insuranceCompany, 200),
  insuranceCompanyNo: optionalText(insuranceLabels.insuranceCompanyNo, 40),
  policyHolder: optionalPersonName(insuranceLabels.policyHolder, 200),
  policyNo,
  groupNo: optionalText(insuranceLabels.groupNo, 60),
  insuredDob: orNull(pastDate(insuranceLabels.insuredDob, today), messages.invalidDate),
})
export type InsuranceInput = z.infer<typeof insuranceInput>
/** The same rules with the label that the order has in the edit form. */
export const insuranceEdit = insuranceInput.extend({ billingOrder: billingOrder(newBillingOrderLabel) })
export const insuranceChange = z.object(updateFields(insuranceEdit.shape))
export type InsuranceChange = z.infer<typeof insuranceChange>

/** The specification has two names for the policy number; both are accepted (BLG-G4). */
const eitherPolicyName = <T extends z.ZodType>(input: T) =>
  z.preprocess((raw) => {
    if (typeof raw !== 'object' || raw === null || !('policyNumber' in raw) || 'policyNo' in raw) return raw
    const { policyNumber, ...rest } = raw as Record<string, unknown>
    return { ...rest, policyNo: policyNumber }
  }, input)

const insurance = z.object({
  id,
  insuranceId: id,
  billId: id,
  reqId: id,
  patientId: id,
  billingOrder: z.literal([1, 2, 3, 4]),
  billingOrderDesc: z.string(),
  reqBillTypeCode: text,
  reqBillTypeDesc: text,
  insuranceCompany: z.string(),
  insuranceCompanyNo: text,
  policyHolder: text,
  policyNo: text,
  policyNumber: text,
  groupNo: text,
  insuredDob: z.iso.date().nullable(),
  version: id,
})
export type Insurance = z.infer<typeof insurance>
/** An insurance of an earlier requisition of the patient; each policy is listed once, with the latest requisition that had it. */
const previousInsurance = insurance.extend({ dateCollected: time, collectedTz: z.string() })
export type PreviousInsurance = z.infer<typeof previousInsurance>

/** Both ids are required; without them nothing was selected. */
export const previousInsuranceInput = z
  .object({
    patientId: requiredId('Patient'),
    useBillId: optionalId('Insurance'),
    useInsuranceId: optionalId('Insurance'),
  })
  .transform(({ patientId, useBillId, useInsuranceId }, context) => {
    if (useBillId !== null && useInsuranceId !== null) return { patientId, useBillId, useInsuranceId }
    context.addIssue({ code: 'custom', path: ['useInsuranceId'], message: messages.insuranceMissing })
    return z.NEVER
  })

// ── ICD codes ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const customIcdInput = z.object({
  icdCode: z.string({ error: messages.icdRequired }).transform((value, context) => {
    const fault = icdFormatError(value)
    if (fault === null) return normalizeIcdCode(value)
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  }),
  icdDesc: required(icdLabels.icdDesc, 500),
})
export const icdInput = z
  .object({
    icdIds: z
      .array(requiredId(icdLabels.icdIds), { error: messages.required(icdLabels.icdIds) })
      .max(100, 'At most 100 ICD codes can be added at once')
      .nullish()
      .transform((ids) => [...new Set(ids)]),
    customIcd: customIcdInput.nullish().transform((custom) => custom ?? null),
  })
  .refine(({ icdIds, customIcd }) => icdIds.length > 0 || customIcd !== null, {
    path: ['icdIds'],
    message: messages.required(icdLabels.icdIds),
  })
export type IcdInput = z.infer<typeof icdInput>

/** `id` is the ICD code itself, which a requisition has at most once. */
const requisitionIcd = z.object({
  id,
  icdId: id,
  icdCode: z.string(),
  icdDesc: z.string(),
  /** 1 for a custom code that is not in the official list. */
  customIcd: flag01,
})
export type RequisitionIcd = z.infer<typeof requisitionIcd>
/** A code of an earlier requisition of the patient, with the latest requisition that had it. */
const previousIcd = requisitionIcd.extend({ reqId: id })
export type PreviousIcd = z.infer<typeof previousIcd>

// ── notes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const billNoteInput = z.object({ note: required(billNoteLabels.note, 2000) })
const billNote = z.object({
  id,
  note: z.string(),
  billNoteCreateDate: time,
  billNoteCreateByName: z.string(),
})
export type BillNote = z.infer<typeof billNote>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const bill = byId.extend({ billId: idParam })
const insuranceParams = bill.extend({ insId: idParam })
const record = byId.extend({ recordId: idParam })
/** Asked before a guarantor or an insurance is saved that is probably wrong. */
export const billingQuestions = {
  /** The relation is 'Self', but the name is not the patient's. */
  selfOtherName: 'SELF_OTHER_NAME',
  /** The requisition already has the policy under another billing order. */
  samePolicy: 'SAME_POLICY',
  /** A custom code without the format of an ICD-10 code. */
  icdShape: 'ICD_SHAPE',
} as const

const insurancesPath = 'requisitions/:id/billings/:billId/insurances'
const removing = (path: string, access: 'icds.edit' | 'billingNotes.write') => ({
  one: del(`requisitions/:id/${path}/:recordId`, { access, params: record, reply: done }),
  many: del(`requisitions/:id/${path}/bulk_delete`, { access, params: byId, query: bulkIds, reply: done }),
})
const icds = removing('req_icds', 'icds.edit')
const notes = removing('bill_notes', 'billingNotes.write')

export const billingRoutes = {
  billings: get('requisitions/:id/billings', {
    access: 'requisitionTabs.billing',
    params: byId,
    reply: page(billing),
  }),
  saveBilling: put('requisitions/:id/billings/:billId', {
    access: 'guarantor.edit',
    asks: [billingQuestions.selfOtherName],
    summary: 'The guarantor, and who pays',
    params: bill,
    body: billingInput,
    reply: one(billing),
  }),

  insurances: get(insurancesPath, { access: 'requisitionTabs.billing', params: bill, reply: page(insurance) }),
  addInsurance: post(insurancesPath, {
    access: 'insurances.edit',
    asks: [billingQuestions.samePolicy],
    params: bill,
    body: eitherPolicyName(insuranceInput),
    reply: newId,
  }),
  saveInsurance: put(`${insurancesPath}/:insId`, {
    access: 'insurances.edit',
    asks: [billingQuestions.samePolicy],
    summary: 'Changes only the fields that are sent; a billing order in use swaps the two insurances',
    params: insuranceParams,
    body: eitherPolicyName(insuranceChange),
    reply: one(insurance),
  }),
  removeInsurance: del(`${insurancesPath}/:insId`, { access: 'insurances.edit', params: insuranceParams, reply: done }),
  previousInsurances: get('patients/:id/insurances', {
    access: 'requisitionTabs.billing',
    summary: "The insurances of a patient's requisitions, newest first",
    params: byId,
    reply: page(previousInsurance),
  }),
  usePrevious: post('requisitions/:id/prev_insurance', {
    access: 'insurances.edit',
    summary: 'Copies an insurance of an earlier requisition to the next free billing order',
    params: byId,
    body: previousInsuranceInput,
    reply: newId,
  }),

  icds: get('requisitions/:id/req_icds', {
    access: 'requisitionTabs.billing',
    params: byId,
    reply: page(requisitionIcd),
  }),
  previousIcds: get('requisitions/:id/prev_icds', {
    access: 'icds.extraPanel',
    params: byId,
    reply: page(previousIcd),
  }),
  addIcds: post('requisitions/:id/req_icds', {
    access: 'icds.edit',
    asks: [billingQuestions.icdShape],
    params: byId,
    body: icdInput,
    reply: done,
  }),
  removeIcd: icds.one,
  removeIcds: icds.many,

  notes: get('requisitions/:id/bill_notes', {
    access: 'billingNotes.read',
    summary: 'Newest first',
    params: byId,
    reply: page(billNote),
  }),
  addNote: post('requisitions/:id/bill_notes', {
    access: 'billingNotes.write',
    repeatsWithinMs: repeatWindowMs,
    params: byId,
    body: billNoteInput,
    reply: newId,
  }),
  removeNote: notes.one,
  removeNotes: notes.many,
}
