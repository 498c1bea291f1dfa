import { z } from 'zod'
import { parseDate } from './kit/date-range.ts'
import { page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { get } from './kit/route.ts'
import type { LovType } from './lookups.ts'
import { messages } from './messages.ts'
import {
  dayPart,
  monthPart,
  optionalCode,
  optionalEmail,
  optionalId,
  optionalPersonName,
  optionalPhone,
  optionalText,
  personName,
  required,
  requiredId,
  yearPart,
} from './validation.ts'

/** One label per field: messages, cards and forms read it. */
export const patientLabels = {
  patientFirstName: 'First Name',
  patientMiddleName: 'Middle Name',
  patientLastName: 'Last Name',
  patientDob: 'Date of birth',
  patientDobMonth: 'DOB Month',
  patientDobDate: 'DOB Day',
  patientDobYear: 'DOB Year',
  patientGenderCode: 'Gender',
  patientRaceCode: 'Race',
  patientEthnicityCode: 'Ethnicity',
  patientSsn: 'SSN',
  patientAddr1: 'Address 1',
  patientAddr2: 'Address 2',
  patientCountryId: 'Country',
  patientStateId: 'State',
  patientCity: 'City',
  patientZip: 'Zip',
  patientEmail: 'Email',
  patientHomePhone: 'Home Phone',
  patientWorkPhone: 'Work Phone',
} as const

export const patientCodes = {
  patientGenderCode: 'GENDER',
  patientRaceCode: 'RACE',
  patientEthnicityCode: 'ETHNICITY',
} as const satisfies Record<string, LovType>

/** The patient's identity; cannot be changed after Processing (PAT-G11). */
export const identityFields = [
  'patientFirstName',
  'patientMiddleName',
  'patientLastName',
  'patientDob',
  'patientGenderCode',
  'patientRaceCode',
  'patientEthnicityCode',
  'patientSsn',
] as const

export const patientMessages = {
  duplicate: 'A patient with the same name and date of birth already exists.',
  searchTooShort: 'Please give at least two letters of the last name, or the whole date of birth',
  /** The patient is shared with others, so the laboratory decides on changes of the identity. */
  forReview: 'Others share this patient. The laboratory will review the change before it is made.',
  changeToReview: 'A partner asks to change a patient whom others share',
  ssnShared: 'Others share this patient. Only the laboratory can change the SSN.',
  changedSinceRequest:
    'The record has been changed since this was asked for. Please refuse it, and edit the record if needed.',
  /** The requisition has another patient than the one the user saw. */
  givenTo: (reqId: number, name: string) =>
    `Requisition #${reqId} has been given to ${name} in the meantime. Please look again.`,
} as const

/** Asked when the date of birth is more than 100 years ago. */
export const oldBirthQuestion = 'OLD_BIRTH_DATE'

/** Asked before a second patient of the same name and birth date is created; the answer is the id of a known one, or `SAVE`. */
export const samePatientQuestion = 'SAME_PATIENT'

/** Asked before an identity is changed (DAY-31), and then which record belongs to the other person. */
export const identityQuestion = {
  code: 'IDENTITY_CHANGE',
  which: 'WHICH_PATIENT',
  choices: [
    { value: 'SAME_PERSON', label: 'Same person' },
    { value: 'OTHER_PERSON', label: 'Another person' },
  ],
} as const

// ── birth dates ─────────────────────────────────────────────────────────────────────────────────────────────────────

const hourMs = 3_600_000
/** The latest current date in any time zone. */
const latestToday = () => new Date(Date.now() + 14 * hourMs).toISOString().slice(0, 10)
const yearsAgo = (years: number) => {
  const date = new Date()
  date.setUTCFullYear(date.getUTCFullYear() - years)
  return date.toISOString().slice(0, 10)
}
const maxAgeYears = 130
/** Before the first date of the pickers (TABLE-058): it has to be typed, and is confirmed by a question. */
export const isVeryOld = (iso: string) => iso < yearsAgo(100)

/** The error of a birth date. `today` is the current date in the patient's time zone, if known. */
export const birthDateError = (iso: string, today = latestToday()): string | undefined => {
  if (iso > today) return messages.dateInFuture
  return iso < yearsAgo(maxAgeYears) ? messages.birthDateTooLongAgo : undefined
}

const patientDob = required(patientLabels.patientDob, 40).transform((text, context) => {
  const iso = parseDate(text)
  const fault = iso === undefined ? messages.invalidDate : birthDateError(iso)
  if (iso !== undefined && fault === undefined) return iso
  context.addIssue({ code: 'custom', message: fault ?? messages.invalidDate })
  return z.NEVER
})

/** The three fields of a form. */
export const birthDateParts = {
  patientDobMonth: monthPart(patientLabels.patientDobMonth),
  patientDobDate: dayPart(patientLabels.patientDobDate),
  patientDobYear: yearPart(patientLabels.patientDobYear),
}
interface BirthParts {
  patientDobMonth: number
  patientDobDate: number
  patientDobYear: number
}

/** The wire format: M/D/YYYY (CREATE-G6, PAT-G7). */
export const formatBirthDate = ({ patientDobMonth, patientDobDate, patientDobYear }: BirthParts) =>
  `${patientDobMonth}/${patientDobDate}/${String(patientDobYear).padStart(4, '0')}`

export const toBirthDateParts = (iso: string) => ({
  patientDobMonth: iso.slice(5, 7),
  patientDobDate: iso.slice(8, 10),
  patientDobYear: iso.slice(0, 4),
})

const isFilled = (value: Partial<BirthParts>): value is BirthParts =>
  [value.patientDobMonth, value.patientDobDate, value.patientDobYear].every((part) => typeof part === 'number')

/** Adds the check that the three parts are a valid birth date; the error belongs to the day field. */
export const withBirthDateCheck = <T extends z.ZodObject>(form: T): T => {
  const faultOf = (value: unknown) => {
    const parts = value as Partial<BirthParts>
    if (!isFilled(parts)) return undefined
    const iso = parseDate(formatBirthDate(parts))
    return iso === undefined ? messages.invalidDate : birthDateError(iso)
  }
  return form.refine((value) => faultOf(value) === undefined, {
    path: ['patientDobDate'],
    error: ({ input }) => faultOf(input) ?? messages.invalidDate,
    // Also while other fields are invalid: all errors are shown at once.
    when: () => true,
  })
}

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const label = patientLabels

const masked = /^[•*]{3}-?[•*]{2}-?\d{4}$/

export const isMaskedSsn = (value: unknown): boolean => typeof value === 'string' && masked.test(value)

/** Digits, null for none, undefined if the mask of the stored number was sent. */
const patientSsn = z
  .string({ error: messages.invalid(label.patientSsn) })
  .trim()
  .nullish()
  .transform((text, context) => {
    if (text === undefined || isMaskedSsn(text)) return undefined
    if (!text) return null
    // Numbers with only zeros in one of their parts, or starting with 666, are never issued.
    if (/^(?!000|666)\d{3}[- ]?(?!00)\d{2}[- ]?(?!0000)\d{4}$/.test(text)) return text.replace(/\D/g, '')
    context.addIssue({ code: 'custom', message: messages.invalid(label.patientSsn) })
    return z.NEVER
  })

const gender = z.enum(['MALE', 'FEMALE'], {
  error: ({ input }) =>
    input ? messages.invalid(label.patientGenderCode) : messages.required(label.patientGenderCode),
})

/** The patient fields of a requisition without the birth date, which forms have in three parts. */
export const patientCore = {
  patientFirstName: personName(label.patientFirstName, 100),
  patientMiddleName: optionalPersonName(label.patientMiddleName, 100),
  patientLastName: personName(label.patientLastName, 100),
  patientGenderCode: gender,
  patientRaceCode: optionalCode(label.patientRaceCode),
  /** NA if not given. */
  patientEthnicityCode: optionalCode(label.patientEthnicityCode).transform((code) => code ?? 'NA'),
  patientSsn,
}

/** Address and contact. */
export const patientContact = {
  patientAddr1: optionalText(label.patientAddr1, 150),
  patientAddr2: optionalText(label.patientAddr2, 150),
  /** If empty, the country of the state. */
  patientCountryId: optionalId(label.patientCountryId),
  patientStateId: requiredId(label.patientStateId),
  patientCity: optionalText(label.patientCity, 100),
  // The shortest postal codes of the world have three characters.
  patientZip: optionalText(label.patientZip, 20).refine(
    (zip) => zip === null || /^[\p{L}\d][\p{L}\d -]{2,}$/u.test(zip),
    messages.invalid(label.patientZip),
  ),
  patientEmail: optionalEmail,
  patientHomePhone: optionalPhone,
  patientWorkPhone: optionalPhone,
}

export const patientCoreInput = z.object({ ...patientCore, patientDob })
export type PatientCoreInput = z.infer<typeof patientCoreInput>
export const patientShape = { ...patientCore, patientDob, ...patientContact }
const patientInput = z.object(patientShape)
export type PatientInput = z.infer<typeof patientInput>

// ── records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const id = z.number().int()
const text = z.string().nullable()

export const patient = z.object({
  id,
  patientFirstName: z.string(),
  patientMiddleName: text,
  patientLastName: z.string(),
  patientDob: z.iso.date(),
  patientGenderCode: z.string(),
  patientGenderDesc: z.string(),
  patientRaceCode: text,
  patientRaceDesc: text,
  patientEthnicityCode: z.string(),
  patientEthnicityDesc: text,
  /** Masked except for the last four digits; a separate, audited call returns the full number. */
  patientSsn: text,
  patientAddr1: text,
  patientAddr2: text,
  patientCity: text,
  patientStateId: id.nullable(),
  patientState: text,
  patientStateCode: text,
  patientCountryId: id.nullable(),
  patientCountry: text,
  patientZip: text,
  patientEmail: text,
  patientHomePhone: text,
  patientWorkPhone: text,
  version: id,
})
export type Patient = z.infer<typeof patient>

/** A suggestion: the patient, and the number of requisitions visible to the user. */
const patientRow = patient.extend({ reqCount: id })
export type PatientRow = z.infer<typeof patientRow>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names match by prefix, the birth date exactly; `search` takes both in one text: 'Jon Smith 1/2/60'. */
const patientFilterFields = [
  'id',
  'patientFirstName',
  'patientMiddleName',
  'patientLastName',
  'patientDob',
  'patientGenderCode',
  'search',
] as const

export const patientRoutes = {
  list: get('patients', {
    access: 'patients.search',
    summary: 'Suggested patients: the 20 latest in scope that match every field given',
    query: listQuery({
      sort: ['id', 'patientLastName', 'patientDob'],
      filter: patientFilterFields,
      defaultPerPage: -1,
      maxPerPage: 100,
    }),
    reply: page(patientRow),
  }),
}
