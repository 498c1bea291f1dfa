import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import type { InsuranceCompany } from './catalogue.ts'
import { hour, isoInstant } from './clock.ts'
import type { Draft, RequisitionContext } from './draft.ts'
import { personName, streetAddress } from './people.ts'
import { type Random, weighted } from './random.ts'

const insured = weighted([
  ['INSURANCE', 60],
  ['MEDICARE', 26],
  ['MEDICAID', 14],
] as const)

const paidByInsurance = new Set(['INSURANCE', 'MEDICARE', 'MEDICAID'])
const invoiced = weighted([
  ['CLIENT', 60],
  ['PATIENT', 30],
  ['COLA', 10],
] as const)

/** Who pays; a code such as 'insurance payment received' already says so. What cannot be claimed is not ready to bill to an insurance. */
export const drawBillType = (
  random: Random,
  status: StatusCode,
  clientBillType: string,
  canBeClaimed: boolean,
): string | null => {
  if (status === 'EOB' || status === 'INSPAYRECD') return random.draw(insured)
  if (status === 'XEROBILL') return random.chance(0.7) ? 'CLIENT' : 'COLA'
  if (status === 'INVOICE' || status === 'NONCOLLECT') return random.draw(invoiced)
  if (status === 'PATPAYRECD') return 'PATIENT'
  if (random.chance(0.02)) return 'NOCHARGE'
  const drawn = clientBillType === 'INSURANCE' ? random.draw(insured) : clientBillType
  const isReady = status === 'READYBILL' || status === 'INBILL'
  return isReady && !canBeClaimed && paidByInsurance.has(drawn) ? 'CLIENT' : drawn
}

type Missing = 'billType' | 'icd' | 'insurance'

const missingWords: Record<Missing, string> = {
  billType: 'bill type',
  icd: 'ICD code',
  insurance: 'primary insurance',
}

/** What the billing run would not find. Before billing, orders are often incomplete, which does not matter yet. */
export const drawMissing = (
  random: Random,
  stage: number,
  status: StatusCode,
  billType: string | null,
): Set<Missing> => {
  const missing = new Set<Missing>()
  const isInsured = billType !== null && paidByInsurance.has(billType)
  if (status === 'MISSBILL') {
    missing.add(random.pick(isInsured ? (['icd', 'insurance', 'insurance'] as const) : (['icd', 'billType'] as const)))
    if (random.chance(0.15)) missing.add('icd')
  } else if (stage < 7) {
    if (random.chance(0.06)) missing.add('billType')
    if (random.chance(0.12)) missing.add('icd')
    if (random.chance(0.1)) missing.add('insurance')
  }
  return missing
}

export const addBilling = (context: RequisitionContext, draft: Draft, missing: ReadonlySet<Missing>) => {
  const { random, patient, billType } = draft
  const billingId = context.ids.next('billing')
  addGuarantor(context, draft, billingId)
  if (billType && paidByInsurance.has(billType) && !missing.has('insurance')) {
    addInsurance(context, draft, billingId, 1, billType)
    if (random.chance(billType === 'MEDICARE' ? 0.35 : 0.08)) addInsurance(context, draft, billingId, 2, 'INSURANCE')
  }
  if (!missing.has('icd')) {
    for (const code of pickIcds(random, patient.isDiabetic, draft.order.tests[0]?.test.testCode ?? '')) {
      context.rows.add('requisition_icd', { requisition_id: draft.id, icd_id: context.catalogue.icdId(code) })
    }
  }
  addNotes(context, draft, missing)
  addBatchItem(context, draft)
}

/** Most patients are their own guarantor; then only the relation is kept. */
const addGuarantor = (context: RequisitionContext, draft: Draft, id: number) => {
  const { random, patient, client } = draft
  const relation = context.isDetailed && random.chance(0.1) ? random.pick(['SPOUSE', 'PARENT', 'DEP', 'GUARD']) : 'SELF'
  const sex = patient.sex === 'MALE' ? 'FEMALE' : 'MALE'
  const other = relation === 'SELF' ? null : { ...personName(random, sex), last: patient.name.last }
  context.rows.add('billing', {
    id,
    requisition_id: draft.id,
    relation_type_code: relation,
    guarantor_gender_code: other && sex,
    guarantor_first_name: other?.first ?? null,
    guarantor_last_name: other?.last ?? null,
    guarantor_dob: other && `${random.int(1945, 1990)}-0${random.int(1, 9)}-1${random.int(0, 9)}`,
    state_id: other && context.catalogue.stateId(client.place.country, client.place.state),
    city: other && client.place.city,
    zip: other && client.place.zip,
    addr1: other && streetAddress(random),
  })
}

const kinds: Record<string, InsuranceCompany['kind']> = {
  INSURANCE: 'COMMERCIAL',
  MEDICARE: 'MEDICARE',
  MEDICAID: 'MEDICAID',
}

const addInsurance = (context: RequisitionContext, draft: Draft, billingId: number, order: 1 | 2, billType: string) => {
  const { random, patient } = draft
  const company = random.pick(context.catalogue.insuranceCompanies.filter(({ kind }) => kind === kinds[billType]))
  context.rows.add('insurance', {
    id: context.ids.next('insurance'),
    billing_id: billingId,
    patient_id: patient.id,
    billing_order: order,
    bill_type_code: billType,
    insurance_company_id: company.id,
    company_name: company.name,
    company_no: company.payerNo,
    policy_holder: `${patient.name.first} ${patient.name.last}`,
    policy_no: `${random.pick(['A', 'H', 'W', 'X'])}${random.digits(9)}`,
    group_no: billType === 'INSURANCE' ? `G${random.digits(5)}` : null,
    insured_dob: patient.dob,
    created_at: isoInstant(draft.loggedAt),
  })
}

const diabetes = ['E11.9', 'E11.65', 'E11.22', 'Z79.4']
const lipids = ['E78.5', 'E78.00', 'E78.2', 'E78.1', 'I10', 'I25.10', 'Z13.220', 'R73.03', 'E66.9', 'Z82.49']
const covid = ['Z20.822', 'U07.1', 'Z86.16', 'Z11.52']

const pickIcds = (random: Random, isDiabetic: boolean, firstTest: string): Set<string> => {
  const isCovid = ['IGG', 'IGM', 'COVAG', 'IGGII'].includes(firstTest)
  const list = isCovid ? covid : isDiabetic ? [...diabetes, ...lipids] : lipids
  const codes = new Set([random.pick(list)])
  if (random.chance(0.5)) codes.add(random.pick(list))
  return codes
}

const remarks = [
  'Front of the insurance card received, back still missing.',
  'Patient asks for an itemised bill.',
  'Client billed by contract, see price list.',
  'Called the payer, claim is in process.',
] as const

/** The billing run writes what is missing; users write the rest. */
const addNotes = (context: RequisitionContext, draft: Draft, missing: ReadonlySet<Missing>) => {
  const { random, status, timeline } = draft
  const add = (note: string, actor: number | null, at: number) =>
    context.rows.add('billing_note', {
      id: context.ids.next('billing_note'),
      requisition_id: draft.id,
      note,
      created_by: actor,
      created_at: isoInstant(at),
    })
  if (status === 'MISSBILL') {
    const words = [...missing].map((name) => missingWords[name]).join(', ')
    add(`Missing billing information: ${words}`, null, timeline.last)
  }
  if (!context.isDetailed || draft.stage < 6 || !random.chance(0.08)) return
  const clerk = context.world.users.of(context.catalogue.departmentId('BILLING'), random)
  add(
    random.pick(remarks),
    clerk,
    Math.min(timeline.last + random.between(0.5, 20) * hour, context.plan.asOf - hour / 2),
  )
}

const addBatchItem = (context: RequisitionContext, { id, timeline }: Draft) => {
  const { batch } = timeline
  if (batch)
    context.rows.add('billing_batch_item', { batch_id: batch.id, requisition_id: id, is_open: batch.sentAt === null })
}
