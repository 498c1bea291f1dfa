import { createHash } from 'node:crypto'
import type { ProblemCode } from '@lis/contract/interfaces.ts'

/*
 * An order as a partner sends it, whatever the format. Each format is read into this; the further processing (codes, people,
 * holds, the requisition itself) is the same for all of them.
 */

export interface IncomingCode {
  code: string
  name: string
  /** `LN` for LOINC. */
  system: string
}

export interface IncomingTest {
  /** The placer number of the order that the test belongs to. */
  placer: string
  /** Where the sender names one. */
  placerSystem?: string
  /** The code, then its alternate; at least one. */
  codes: readonly IncomingCode[]
  path: string
}

/** Undefined: not sent, unchanged; null: to be cleared. */
type Sent<T> = T | null | undefined

export interface IncomingPatient {
  identifiers: readonly { identifier: string; authority: string }[]
  lastName: string
  firstName: string
  middleName: Sent<string>
  dob: Sent<string>
  sex: Sent<'MALE' | 'FEMALE'>
  addr1: Sent<string>
  addr2: Sent<string>
  city: Sent<string>
  /** Two letters. */
  state: Sent<string>
  zip: Sent<string>
  homePhone: Sent<string>
  workPhone: Sent<string>
}

export interface IncomingPerson {
  /** Our own code, if the sender gives it. */
  physicianId?: number
  npi: string
  lastName: string
  firstName: string
}

export interface IncomingInsurance {
  order: number
  companyNo: string
  companyName: string
  groupNo: string
  holder: string
  insuredDob: string | null
  policyNo: string
}

export interface IncomingGuarantor {
  lastName: string
  firstName: string
  dob: string | null
  sex: 'MALE' | 'FEMALE' | null
  addr1: string
  addr2: string
  city: string
  state: string
  zip: string
  /** A code of RELATIONTYPE; null where none was sent. */
  relation: string | null
  /** As sent, for the lab note when it cannot be stored. */
  text: string
}

/** The position of each part in the message, for problems and for the desk. */
interface IncomingPaths {
  client: string
  physician: string
  patient: string
  name: string
  dob: string
  sex: string
  collected: string
}

export interface IncomingOrder {
  control: 'NW' | 'CA' | 'XO'
  /** Every placer number of the message. */
  placers: readonly string[]
  extOrderId: string
  /** Codes of the client used by a collaborator, the preferred one first. */
  clientCodes: readonly string[]
  patient: IncomingPatient
  /** The id of our own patient, if the sender refers to one that it may see. */
  patientId?: number | undefined
  physician: IncomingPerson | null
  /** ISO text; without an offset in the client's zone. */
  collected: string | null
  isFasting: boolean | null
  isStat: boolean
  icds: readonly { code: string; name: string }[]
  insurances: readonly IncomingInsurance[]
  guarantor: IncomingGuarantor | null
  notes: readonly string[]
  tests: readonly IncomingTest[]
  paths: IncomingPaths
}

export interface Problem {
  code: ProblemCode
  path: string
  value: string
  message: string
}

/**
 * Equal for messages of a partner that the same decision settles. A decision about a patient is about nobody else: another name under the
 * same number, or the same number of another authority, is another cause.
 */
export const causeOf = ({ code, path, value }: Problem, who: Who): string => {
  if (code === 'PATIENT_CONFLICT') return `PATIENT|${keyOf(who)}`
  if (code === 'NEEDS_APPROVAL' && path !== '') return `${code}|${path}|${keyOf(who)}`
  return value === '' ? `${code}|${path}` : `${code}|${value.toLowerCase()}`
}

type Who = Pick<IncomingOrder, 'patient' | 'patientId'>

const keyOf = ({ patient, patientId }: Who): string => {
  const { identifiers, lastName, firstName, middleName, dob, sex } = patient
  return createHash('sha256')
    .update(JSON.stringify([patientId, identifiers, lastName, firstName, middleName, dob, sex]))
    .digest('hex')
    .slice(0, 32)
}

/** The cause says that the physician is missing or unknown. */
export const isAboutPhysician = (cause: string): boolean =>
  cause.startsWith('UNKNOWN_PHYSICIAN|') || /^MISSING_FIELD\|(ORC-12|ServiceRequest\.requester)$/.test(cause)
/** The cause says that it is not known who the patient is. */
export const isAboutPatient = (cause: string): boolean => cause.startsWith('PATIENT|')
