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
  optionalPhone,
  optionalText,
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

/** Who the patient is; after Processing these cannot be changed any more (PAT-G11). */
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
  /** The answer to a new patient who is there already; the same call with `isNewPatient` 1 makes a second one. */
  duplicate: 'A patient with the same name and date of birth already exists.',
  searchTooShort: 'Please give at least two letters of the last name, or the whole date of birth',
  /** Others share the patient: who it is, is decided by the laboratory. */
  forReview: 'Others share this patient. The laboratory will review the change before it is made.',
  changeToReview: 'A partner asks to change a patient whom others share',
  ssnShared: 'Others share this patient. Only the laboratory can change the SSN.',
  changedSinceRequest:
    'The record has been changed since this was asked for. Please refuse it, and edit the record if needed.',
  /** The requisition has another patient than the one whom the writer had in view. */
  givenTo: (reqId: number, name: string) =>
    `Requisition #${reqId} has been given to ${name} in the meantime. Please look again.`,
} as const

/** Asked about a date of birth of more than 100 years ago. */
export const oldBirthQuestion = 'OLD_BIRTH_DATE'

/** Asked before a record is made to say another identity (DAY-31), and then whose record the other person's is. */
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
/** The day that has begun somewhere on earth: nobody's today is later. */
const latestToday = () => new Date(Date.now() + 14 * hourMs).toISOString().slice(0, 10)
const yearsAgo = (years: number) => {
  const date = new Date()
  date.setUTCFullYear(date.getUTCFullYear() - years)
  return date.toISOString().slice(0, 10)
}
/** Nobody has become so old. */
export const maxAgeYears = 130
/** The pickers begin here (TABLE-058); an earlier date is typed, and asked about. */
export const isVeryOld = (iso: string) => iso < yearsAgo(100)

/** What is wrong with a birth date; who knows the day where the person is says which it is. */
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

/** As it travels: M/D/YYYY from whole numbers (CREATE-G6, PAT-G7). */
export const formatBirthDate = ({ patientDobMonth, patientDobDate, patientDobYear }: BirthParts) =>
  `${patientDobMonth}/${patientDobDate}/${String(patientDobYear).padStart(4, '0')}`

export const toBirthDateParts = (iso: string) => ({
  patientDobMonth: iso.slice(5, 7),
  patientDobDate: iso.slice(8, 10),
  patientDobYear: iso.slice(0, 4),
})

const isFilled = (value: Partial<BirthParts>): value is BirthParts =>
  [value.patientDobMonth, value.patientDobDate, value.patientDobYear].every((part) => typeof part === 'number')

/** Adds to a form that its three parts make a birth date; the message stands under the day. */
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
    // Also while other fields are still wrong: all complaints are shown at once.
    when: () => true,
  })
}

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Letters of every script and the signs of names are kept as they are; markup, emoji and what no form can show are in nobody's name. */
const isPrintable = (text: string | null) =>
  text === null || (/\p{L}/u.test(text) && !/[\p{Cc}\p{Extended_Pictographic}<>]/u.test(text))
const label = patientLabels
/** A name with one space between its words: no screen shows two, and the same person would be another one to every search. */
export const withSingleSpaces = (text: string) => text.replace(/\s+/g, ' ')
const name = (text: string) =>
  required(text, 100).refine(isPrintable, messages.invalid(text)).transform(withSingleSpaces)
const optionalName = (text: string) =>
  optionalText(text, 100)
    .refine(isPrintable, messages.invalid(text))
    .transform((given) => given && withSingleSpaces(given))

const masked = /^[•*]{3}-?[•*]{2}-?\d{4}$/
/** How a stored number is shown; whoever sends this back leaves the number as it is. */
export const maskSsn = (last4: string | null): string | null => (last4 === null ? null : `•••-••-${last4}`)

export const isMaskedSsn = (value: unknown): boolean => typeof value === 'string' && masked.test(value)

/** Digits, null for none, undefined for the mask of the stored one. */
const patientSsn = z
  .string({ error: messages.invalid(label.patientSsn) })
  .trim()
  .nullish()
  .transform((text, context) => {
    if (text === undefined || isMaskedSsn(text)) return undefined
    if (!text) return null
    // No number has been given out with nothing but zeros in one of its parts, or that begins with 666.
    if (/^(?!000|666)\d{3}[- ]?(?!00)\d{2}[- ]?(?!0000)\d{4}$/.test(text)) return text.replace(/\D/g, '')
    context.addIssue({ code: 'custom', message: messages.invalid(label.patientSsn) })
    return z.NEVER
  })

const gender = z.enum(['MALE', 'FEMALE'], {
  error: ({ input }) =>
    input ? messages.invalid(label.patientGenderCode) : messages.required(label.patientGenderCode),
})

/** What a requisition asks about its patient, the birth date apart: forms have it in three parts. */
export const patientCore = {
  patientFirstName: name(label.patientFirstName),
  patientMiddleName: optionalName(label.patientMiddleName),
  patientLastName: name(label.patientLastName),
  patientGenderCode: gender,
  patientRaceCode: optionalCode(label.patientRaceCode),
  /** NA when nothing is said. */
  patientEthnicityCode: optionalCode(label.patientEthnicityCode).transform((code) => code ?? 'NA'),
  patientSsn,
}

/** Where the patient lives and can be reached. */
export const patientContact = {
  patientAddr1: optionalText(label.patientAddr1, 150),
  patientAddr2: optionalText(label.patientAddr2, 150),
  /** Left empty, the country of the state. */
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
  /** Only its last four digits; the whole number is a call of its own, which leaves a trace. */
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

/** A suggestion: the patient, and how many requisitions the reader can see of them. */
export const patientRow = patient.extend({ reqCount: id })
export type PatientRow = z.infer<typeof patientRow>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names match by their beginning, the birth date exactly; `search` takes them in one text: 'Jon Smith 1/2/60'. */
export const patientFilterFields = [
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
