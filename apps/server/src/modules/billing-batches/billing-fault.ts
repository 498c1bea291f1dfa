import { isNpi } from '@lis/contract/physicians.ts'
import { type BillInsurance, type BillItem, type BillPerson, isInsured } from './bill-item.ts'
import { claimText, claimZip, hasUnsupportedLetters, homeCountry, unsupportedCharacters } from './claim-text.ts'
import { holderName, isHeldBy } from './policy-holder.ts'

/** Claims are made in US dollars. */
const claimCurrency = 'USD'

/** Why it cannot be billed; null if it can. A missing price is never billed as zero. */
export const billingFault = (item: BillItem, canClaim: boolean): string | null => {
  if (item.billTypeCode === null) return 'No bill type'
  if (item.billTypeCode === 'NOCHARGE') return null
  if (item.charges.length === 0) return 'No test to bill'
  const unpriced = unpricedCodes(item)
  if (unpriced.length > 0) return `No price for ${unpriced.join(', ')}`
  return isInsured(item) ? claimFault(item, canClaim) : null
}

/** Codes of tests without a price for the client. */
export const unpricedCodes = ({ charges, billTypeCode }: BillItem): string[] =>
  billTypeCode === 'NOCHARGE' ? [] : charges.filter(({ amount }) => amount === null).map(({ testCode }) => testCode)

/** Why it cannot be claimed from an insurance. */
export const claimFault = (item: BillItem, canClaim: boolean): string | null => {
  const { patient, charges, icdCodes } = item
  const uncoded = charges.filter(({ cptCode }) => cptCode === null).map(({ testCode }) => testCode)
  const [unlisted] = [...icdCodes.filter((code) => !icdOfClaim.test(code)), ...item.unlistedIcds]
  const primary = item.insurances.find(({ billingOrder }) => billingOrder === 1)
  if (!canClaim) return 'The billing provider of this laboratory is not configured'
  if (icdCodes.length === 0) return 'No ICD code'
  if (unlisted !== undefined) return `ICD code ${unlisted} is not in the ICD-10-CM list and cannot be claimed`
  if (!primary) return 'No primary insurance'
  if (item.insurances.some(({ policyNo }) => !policyNo)) return 'No policy number'
  if (!primary.companyNo) return 'No insurance company number'
  if (item.insurances.some((one) => lacksHolderName(one, patient))) return 'No policy holder'
  if (item.insurances.some((one) => isMedicare(one, item) && !isHeldBy(one, patient)))
    return 'Medicare insures the patient alone: its policy holder must be the patient'
  if (!isNpi(item.physician.npi)) return `The NPI of the physician, ${item.physician.npi}, is not valid`
  if (!patient.addr1 || !patient.city || !patient.state || !claimZip(patient.zip) || !hasZipOfCountry(patient))
    return "The patient's address is not complete"
  if (uncoded.length > 0) return `No procedure code for ${uncoded.join(', ')}`
  if (charges.some(({ amount, currencyCode }) => amount !== null && currencyCode !== claimCurrency))
    return 'Prices are not in US dollars'
  return textFault(item)
}

/** Exactly one ICD-10-CM code; a custom code may be any text. */
const icdOfClaim = /^[A-Z][0-9A-Z]{2}(\.?[0-9A-Z]{1,4})?$/

const isMedicare = ({ billTypeCode }: BillInsurance, item: BillItem) =>
  (billTypeCode ?? item.billTypeCode) === 'MEDICARE'

/** A ZIP of the United States has five or nine digits. */
const hasZipOfCountry = ({ country, zip }: BillPerson) =>
  country !== null && country !== homeCountry ? true : /^(\d{5}|\d{9})$/.test(claimZip(zip))

/** By the birth date another person is insured, but no name is given. */
const lacksHolderName = ({ policyHolder, insuredDob }: BillInsurance, patient: BillPerson) =>
  !policyHolder?.trim() && insuredDob !== null && insuredDob !== patient.dob

type ClaimField = readonly [what: string, text: string | null, least: number, most: number, isNumber?: boolean]

/** Names must never be changed or cut: a text that a claim cannot hold exactly is not claimed. */
const textFault = (item: BillItem): string | null => {
  for (const [what, text, least, most, isNumber] of claimFields(item)) {
    if (!text?.trim()) continue
    const { length } = claimText(text)
    // A changed number would be another policy, so nothing in it may be replaced.
    const unsupported = isNumber ? unsupportedCharacters(text) : ''
    if (unsupported) return `${what} has ${unsupported}, which a claim cannot carry`
    if (length === 0 || hasUnsupportedLetters(text))
      return `${what} cannot be written in a claim, which has the letters A to Z only`
    const allowed = least === most ? most : `${least} to ${most}`
    if (length < least || length > most) return `${what} must have ${allowed} characters in a claim`
  }
  return null
}

/** The free texts of a claim with their lengths by the implementation guide (005010X222A1). */
const claimFields = ({ patient, physician, insurances }: BillItem): ClaimField[] => [
  ["The patient's last name", patient.lastName, 1, 60],
  ["The patient's first name", patient.firstName, 1, 35],
  ["The patient's middle name", patient.middleName, 1, 25],
  ["The patient's address 1", patient.addr1, 1, 55],
  ["The patient's address 2", patient.addr2, 1, 55],
  ["The patient's city", patient.city, 2, 30],
  ["The patient's state", patient.state, 2, 2],
  ["The patient's ZIP", claimZip(patient.zip), 3, 15],
  ["The physician's last name", physician.lastName, 1, 60],
  ["The physician's first name", physician.firstName, 1, 35],
  ...insurances.flatMap((insurance) => insuranceFields(insurance, patient)),
]

const insuranceFields = (insurance: BillInsurance, patient: BillPerson): ClaimField[] => {
  const { last, first } = holderName(insurance, patient)
  return [
    ['The insurance company', insurance.company, 1, 60],
    ['The insurance company number', insurance.companyNo, 2, 80, true],
    ["The policy holder's last name", last, 1, 60],
    ["The policy holder's first name", first, 1, 35],
    ['The policy number', insurance.policyNo, 2, 80, true],
    ['The group number', insurance.groupNo, 1, 50, true],
  ]
}
