import { insuredBillTypes } from '@lis/contract/billing.ts'
import { sumAmounts } from '@lis/contract/money.ts'
import type { Charge } from '../billing/queries.ts'

/** A requisition with all data for claims, invoices and the batch's table. */
export interface BillItem {
  reqId: number
  statusCode: string
  billTypeCode: string | null
  billTypeDesc: string | null
  /** The day of the collection in its own zone. */
  serviceDate: string
  relationTypeCode: string
  patient: BillPerson
  /** Pays for the patient; null if the patient pays. */
  guarantor: BillParty | null
  client: BillClient
  collaborator: BillParty & { id: number }
  /** The record of the laboratory of the requisition. */
  lab: BillLab
  /** Its tests that another laboratory has measured, with the CLIA number of that one. */
  referred: { testId: number; clia: string | null }[]
  physician: { firstName: string; lastName: string; npi: string }
  icdCodes: string[]
  /** Those that are not in the ICD list: custom codes, and codes that a later year has dropped. */
  unlistedIcds: string[]
  insurances: BillInsurance[]
  testCodes: string
  charges: Charge[]
  /** The reason why the sent batch did not bill it. */
  leftOut: string | null
}

export interface BillPerson extends Address {
  id: number
  firstName: string
  middleName: string | null
  lastName: string
  dob: string
  gender: string
}
export interface BillParty extends Address {
  name: string
}
/** What a bill prints about a laboratory; null where its record says nothing. */
export interface BillLab extends BillParty {
  phone: string | null
  clia: string | null
}
interface BillClient extends BillParty {
  id: number
  legacyId: string
}
interface Address {
  addr1: string | null
  addr2: string | null
  city: string | null
  state: string | null
  /** ISO 3166, two letters; null without a state, which determines it. */
  country: string | null
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

export const isInsured = ({ billTypeCode }: Pick<BillItem, 'billTypeCode'>) =>
  billTypeCode !== null && insuredBillTypes.includes(billTypeCode)

/** The sum of its tests; null if one of them has no price. */
export const itemAmount = ({ charges, billTypeCode }: BillItem): string | null => {
  if (billTypeCode === 'NOCHARGE') return '0.00'
  const amounts = charges.flatMap(({ amount }) => (amount === null ? [] : [amount]))
  return amounts.length > 0 && amounts.length === charges.length ? sumAmounts(amounts) : null
}

export const itemCurrency = ({ charges }: BillItem): string | null => charges[0]?.currencyCode ?? null

/** A requisition and the reason why it cannot be billed; null if it can. */
export interface CheckedItem {
  item: BillItem
  fault: string | null
}
