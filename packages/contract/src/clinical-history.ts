import { z } from 'zod'
import type { FieldError } from './kit/errors.ts'
import type { LovType } from './lookups.ts'
import { messages } from './messages.ts'
import { flag01, optionalCode, requiredFlag } from './validation.ts'

/** The clinical history at the time of one order. One label per field (PAT-G13). */
export const historyLabels = {
  isSmoker: 'Smoker',
  isDiabetic: 'Diabetic',
  isFamilyHistory: 'Family history of MI',
  isPatientHistory: 'Patient HX of MI',
  isStress: 'Stress',
  isLowHdl: 'Diabetes medication',
  isLipidMed: 'Lipid lowering medication',
  isHypertension: 'Hypertension',
  isBloodMed: 'Blood pressure medication',
  isMedNecessity: 'Medical necessity',
  isObesity: 'Obesity',
  sbp: 'SBP',
  dbp: 'DBP',
  weight: 'Weight',
  weightUom: 'Weight unit',
  heightFeet: 'Height Feet',
  heightInches: 'Height Inches',
  heightCm: 'Height Cm',
  heightUom: 'Height unit',
  isCovidVac: 'Covid vaccinated',
  famHistT2DCode: 'Family history of T2D',
  isSelfT2DGest: 'Personal T2D/gestational',
} as const
const label = historyLabels

export const historyCodes = { weightUom: 'WEIGHTUOM', famHistT2DCode: 'FAMHISTT2D' } as const satisfies Record<
  string,
  LovType
>

// ── measures: text or number in, number or null out ─────────────────────────────────────────────────────────────────

const measure = (faultOf: (value: number) => string | undefined, notNumber: string) =>
  z
    .union([z.string(), z.number()], { error: notNumber })
    .nullish()
    .transform((given, context) => {
      const text = String(given ?? '').trim()
      if (text === '') return null
      // Plain digits only: '1e3' and '0x10' are typing errors.
      const value = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
      const fault = Number.isFinite(value) ? faultOf(value) : notNumber
      if (fault === undefined) return value
      context.addIssue({ code: 'custom', message: fault })
      return z.NEVER
    })

/** An integer from 1 to the limit of the column. */
const pressure = (name: string, max: number) =>
  measure(
    (value) => (Number.isInteger(value) && value >= 1 && value <= max ? undefined : messages.invalid(name)),
    messages.invalid(name),
  )
const maxWeight = 2000
const weight = measure((value) => {
  if (value < 1) return messages.weightTooSmall
  return Number.isInteger(value) && value <= maxWeight ? undefined : messages.invalid(label.weight)
}, messages.weightNotNumber)
/** Whether it fits depends on the unit, see `heightErrors`. */
const height = (name: string, decimals: number, max: number) =>
  measure((value) => {
    const isFine = Math.abs(value) <= max && Number(value.toFixed(decimals)) === value
    return isFine ? undefined : messages.invalid(name)
  }, messages.invalid(name))

interface Pressure {
  sbp?: unknown
  dbp?: unknown
}

/** Systolic above diastolic, where both are known. */
export const bloodPressureErrors = ({ sbp, dbp }: Pressure): FieldError[] =>
  typeof sbp === 'number' && typeof dbp === 'number' && sbp <= dbp
    ? [{ field: 'sbp', message: messages.sbpNotAboveDbp }]
    : []

interface Height {
  heightUom?: unknown
  heightFeet?: number | null | undefined
  heightInches?: number | null | undefined
  heightCm?: number | null | undefined
}
const inchesInFoot = 12
const tallestInches = 96

/** Checks the fields of the chosen unit; those of the other one are ignored. */
export const heightErrors = ({ heightUom, heightFeet, heightInches, heightCm }: Height): FieldError[] => {
  const fault = (field: string, message: string) => [{ field, message }]
  if (heightUom === 'CM')
    return typeof heightCm === 'number' && heightCm < 0 ? fault('heightCm', messages.heightCmTooSmall) : []
  const feet = heightFeet ?? 0
  const inches = heightInches ?? 0
  if (feet < 0) return fault('heightFeet', messages.heightFeetTooSmall)
  if (feet > 8) return fault('heightFeet', messages.heightFeetTooLarge)
  if (inches < 0) return fault('heightInches', messages.heightInchesTooSmall)
  return feet * inchesInFoot + inches > tallestInches ? fault('heightInches', messages.heightInchesTooLarge) : []
}

/** Feet and inches as they are stored; null when neither is given. */
export const totalInches = ({ heightFeet, heightInches }: Height): number | null =>
  heightFeet == null && heightInches == null ? null : (heightFeet ?? 0) * inchesInFoot + (heightInches ?? 0)

/** Stored inches as feet and inches. */
export const feetAndInches = (inches: number) => {
  const feet = Math.floor(inches / inchesInFoot)
  return { feet, inches: Number((inches - feet * inchesInFoot).toFixed(2)) }
}

/** Adds the checks across several fields; all errors are reported at once. */
export const withMeasurementCheck = <T extends z.ZodObject>(form: T): T => {
  const faultOf = (value: unknown, field: string) =>
    [...bloodPressureErrors(value as Pressure), ...heightErrors(value as Height)].find((fault) => fault.field === field)
      ?.message
  return (['sbp', 'heightFeet', 'heightInches', 'heightCm'] as const).reduce(
    (schema, field) =>
      schema.refine((value) => faultOf(value, field) === undefined, {
        path: [field],
        error: ({ input }) => faultOf(input, field) ?? messages.invalid(label[field]),
        when: () => true,
      }),
    form,
  )
}

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** An optional answer: '' from a form means null. */
const openFlag = (name: string) =>
  z
    .literal([0, 1, ''], { error: messages.invalid(name) })
    .nullish()
    .transform((value) => (value === 0 || value === 1 ? value : null))
const noUnless = (name: string) => z.literal([0, 1], { error: messages.invalid(name) }).default(0)

const measures = {
  sbp: pressure(label.sbp, 400),
  dbp: pressure(label.dbp, 300),
  weight,
  heightFeet: height(label.heightFeet, 0, 999),
  heightInches: height(label.heightInches, 2, 999),
  heightCm: height(label.heightCm, 1, 999.9),
}
const heightUnits = ['INCH', 'CM'] as const
const heightUom = z.enum(heightUnits, { error: messages.invalid(label.heightUom) })

/** The fields of the create form (CREATE-35 to CREATE-48). */
export const newHistoryShape = {
  ...measures,
  weightUom: optionalCode(label.weightUom).transform((code) => code ?? 'LBS'),
  heightUom: heightUom.default('INCH'),
  isSmoker: noUnless(label.isSmoker),
  isDiabetic: noUnless(label.isDiabetic),
  isFamilyHistory: noUnless(label.isFamilyHistory),
  isCovidVac: openFlag(label.isCovidVac),
  famHistT2DCode: optionalCode(label.famHistT2DCode),
  isSelfT2DGest: openFlag(label.isSelfT2DGest),
}

/** The fields of the edit form. */
export const historyShape = {
  ...measures,
  weightUom: optionalCode(label.weightUom).transform((code) => code ?? 'LBS'),
  heightUom,
  isSmoker: openFlag(label.isSmoker),
  isDiabetic: openFlag(label.isDiabetic),
  isFamilyHistory: openFlag(label.isFamilyHistory),
  isPatientHistory: requiredFlag(label.isPatientHistory),
  isStress: requiredFlag(label.isStress),
  isLowHdl: requiredFlag(label.isLowHdl),
  isLipidMed: requiredFlag(label.isLipidMed),
  isHypertension: requiredFlag(label.isHypertension),
  isBloodMed: requiredFlag(label.isBloodMed),
  isMedNecessity: requiredFlag(label.isMedNecessity),
  isObesity: openFlag(label.isObesity),
  isCovidVac: openFlag(label.isCovidVac),
  famHistT2DCode: optionalCode(label.famHistT2DCode),
  isSelfT2DGest: openFlag(label.isSelfT2DGest),
}

export const historyFlags = [
  'isSmoker',
  'isDiabetic',
  'isFamilyHistory',
  'isPatientHistory',
  'isStress',
  'isLowHdl',
  'isLipidMed',
  'isHypertension',
  'isBloodMed',
  'isMedNecessity',
  'isObesity',
  'isCovidVac',
  'isSelfT2DGest',
] as const

// ── record ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const flag = flag01.nullable()
const number = z.number().nullable()

export const patientHistory = z.object({
  /** The id of its requisition. */
  id: z.number().int(),
  isSmoker: flag,
  isDiabetic: flag,
  isFamilyHistory: flag,
  isPatientHistory: flag,
  isStress: flag,
  isLowHdl: flag,
  isLipidMed: flag,
  isHypertension: flag,
  isBloodMed: flag,
  isMedNecessity: flag,
  isObesity: flag,
  isCovidVac: flag,
  isSelfT2DGest: flag,
  famHistT2DCode: z.string().nullable(),
  famHistT2DDesc: z.string().nullable(),
  sbp: number,
  dbp: number,
  weight: number,
  weightUom: z.string(),
  /** Total inches; shown as feet and inches. */
  heightInches: number,
  heightCm: number,
  heightUom: z.enum(heightUnits),
  version: z.number().int(),
})
export type PatientHistory = z.infer<typeof patientHistory>
