import { insuredBillTypes } from '@lis/contract/billing.ts'
import { sumAmounts } from '@lis/contract/money.ts'
import type { Charge } from '../billing/queries.ts'

/** A requisition with everything that a claim, an invoice or a line of the batch's table says about it. */
export interface BillItem {
  reqId: number
  statusCode: string
  billTypeCode: string | null
  billTypeDesc: string | null
  /** The day of the collection, where it was collected. */
  serviceDate: string
  relationTypeCode: string
  patient: BillPerson
  client: BillClient
  physician: { firstName: string; lastName: string; npi: string }
  icdCodes: string[]
  insurances: BillInsurance[]
  testCodes: string
  charges: Charge[]
  /** Kept when the batch was sent. */
  leftOut: string | null
}

export interface BillPerson extends Address {
  firstName: string
  middleName: string | null
  lastName: string
  dob: string
  gender: string
}
export interface BillClient extends Address {
  id: number
  legacyId: string
  name: string
}
interface Address {
  addr1: string | null
  addr2: string | null
  city: string | null
  state: string | null
  zip: string | null
}
export interface BillInsurance {
  billingOrder: number
  billTypeCode: string | null
  company: string
  companyNo: string | null
  policyHolder: string | null
  policyNo: string | null
  groupNo: string | null
  insuredDob: string | null
}

/** Claims are made in US dollars. */
const claimCurrency = 'USD'

export const isInsured = ({ billTypeCode }: Pick<BillItem, 'billTypeCode'>) =>
  billTypeCode !== null && insuredBillTypes.includes(billTypeCode)

/** What keeps it from being billed, in words; null when nothing does. Nothing is ever billed as zero for want of a price. */
export const billingFault = (item: BillItem, canClaim: boolean): string | null => {
  if (item.billTypeCode === null) return 'No bill type'
  if (item.billTypeCode === 'NOCHARGE') return null
  if (item.charges.length === 0) return 'No test to bill'
  const unpriced = item.charges.filter(({ amount }) => amount === null).map(({ testCode }) => testCode)
  if (unpriced.length > 0) return `No price for ${unpriced.join(', ')}`
  return isInsured(item) ? claimFault(item, canClaim) : null
}

const claimFault = (item: BillItem, canClaim: boolean): string | null => {
  const { patient, charges, icdCodes } = item
  const uncoded = charges.filter(({ cptCode }) => cptCode === null).map(({ testCode }) => testCode)
  const primary = item.insurances.find(({ billingOrder }) => billingOrder === 1)
  if (!canClaim) return 'The billing provider of this laboratory is not configured'
  if (icdCodes.length === 0) return 'No ICD code'
  if (!primary) return 'No primary insurance'
  if (!primary.policyNo) return 'No policy number'
  if (!primary.companyNo) return 'No insurance company number'
  if (item.insurances.some((one) => isNameless(one, patient))) return 'No policy holder'
  if (!patient.addr1 || !patient.city || !patient.state || !patient.zip) return "The patient's address is not complete"
  if (uncoded.length > 0) return `No procedure code for ${uncoded.join(', ')}`
  return charges.some(({ currencyCode }) => currencyCode !== claimCurrency) ? 'Prices are not in US dollars' : null
}

/** Somebody else is insured, by the birth date, and nobody says who. */
const isNameless = ({ policyHolder, insuredDob }: BillInsurance, patient: BillPerson) =>
  !policyHolder?.trim() && insuredDob !== null && insuredDob !== patient.dob

/** The sum of its tests; null while one of them has no price. */
export const itemAmount = ({ charges, billTypeCode }: BillItem): string | null => {
  if (billTypeCode === 'NOCHARGE') return '0.00'
  const amounts = charges.flatMap(({ amount }) => (amount === null ? [] : [amount]))
  return amounts.length > 0 && amounts.length === charges.length ? sumAmounts(amounts) : null
}

export const itemCurrency = ({ charges }: BillItem): string | null => charges[0]?.currencyCode ?? null
