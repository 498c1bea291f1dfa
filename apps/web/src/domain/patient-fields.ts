import { historyLabels } from '@lis/contract/clinical-history.ts'
import { patientLabels } from '@lis/contract/patients.ts'
import { collectedInstants, collectedLabels } from '@lis/contract/requisitions/collected.ts'
import { requisitionLabels } from '@lis/contract/requisitions/create.ts'
import type { FieldDef, Values, Whole } from '../ui/form/field-types.ts'

const label = patientLabels
export const yesNo = [
  { value: 1, label: 'Yes' },
  { value: 0, label: 'No' },
]
export const halves = [
  { value: 'am', label: 'AM', shortKeyCode: 'A' },
  { value: 'pm', label: 'PM', shortKeyCode: 'P' },
]

const isGiven = (value: unknown) => String(value ?? '') !== ''
const two = (value: unknown) => String(value ?? '').padStart(2, '0')
/** A value typed in these parts, shown only once there is something of it. */
export const wholeOf = (label: string, names: readonly string[], show: (values: Values) => string): Whole => ({
  label,
  show: (values) => (names.some((name) => isGiven(values[name])) ? show(values) : ''),
})
/** A time of day typed in three parts. */
export const clockOf = (hours: unknown, minutes: unknown, half: unknown) =>
  `${two(hours)}:${two(minutes)} ${String(half ?? '').toUpperCase()}`
const born = wholeOf(
  label.patientDob,
  ['patientDobMonth', 'patientDobDate', 'patientDobYear'],
  ({ patientDobMonth: month, patientDobDate: day, patientDobYear: year }) => `${two(month)}/${two(day)}/${year}`,
)

/** Who the patient is. */
export const identityFieldDefs: readonly FieldDef[] = [
  { name: 'patientFirstName', label: label.patientFirstName, kind: 'text', isRequired: true },
  { name: 'patientMiddleName', label: label.patientMiddleName, kind: 'text' },
  { name: 'patientLastName', label: label.patientLastName, kind: 'text', isRequired: true },
  { name: 'patientDobMonth', label: label.patientDobMonth, kind: 'number', isRequired: true, span: 3, whole: born },
  {
    name: 'patientDobDate',
    label: label.patientDobDate,
    shortLabel: 'Day',
    kind: 'number',
    isRequired: true,
    span: 2,
    whole: born,
  },
  {
    name: 'patientDobYear',
    label: label.patientDobYear,
    shortLabel: 'Year',
    kind: 'number',
    isRequired: true,
    span: 3,
    whole: born,
  },
  { name: 'patientGenderCode', label: label.patientGenderCode, kind: 'select', lookup: 'gender', isRequired: true },
  { name: 'patientRaceCode', label: label.patientRaceCode, kind: 'select', lookup: 'race' },
  {
    name: 'patientEthnicityCode',
    label: label.patientEthnicityCode,
    kind: 'select',
    lookup: 'ethnicity',
    initial: 'NA',
  },
  { name: 'patientSsn', label: label.patientSsn, kind: 'input', isSecret: true },
]

/** Where the patient can be reached. */
export const contactFieldDefs: readonly FieldDef[] = [
  { name: 'patientAddr1', label: label.patientAddr1, kind: 'text', span: 8 },
  { name: 'patientAddr2', label: label.patientAddr2, kind: 'text' },
  {
    name: 'patientCountryId',
    label: label.patientCountryId,
    kind: 'autocomplete',
    lookup: 'countries',
    clears: ['patientStateId'],
  },
  {
    name: 'patientStateId',
    label: label.patientStateId,
    kind: 'autocomplete',
    lookup: 'countryStates',
    lookupParams: ({ patientCountryId }) => (patientCountryId ? { id: Number(patientCountryId) } : null),
    isRequired: true,
  },
  { name: 'patientCity', label: label.patientCity, kind: 'text' },
  { name: 'patientZip', label: label.patientZip, kind: 'input' },
  { name: 'patientHomePhone', label: label.patientHomePhone, kind: 'phone' },
  { name: 'patientWorkPhone', label: label.patientWorkPhone, kind: 'phone' },
  { name: 'patientEmail', label: label.patientEmail, kind: 'text', isWide: true },
]

const yesNoField = (name: keyof typeof historyLabels, extra: Partial<FieldDef> = {}): FieldDef => ({
  name,
  label: historyLabels[name],
  kind: 'radio',
  options: yesNo,
  ...extra,
})

const isCm = ({ heightUom }: Values) => heightUom === 'CM'
const pressure = wholeOf('Blood pressure', ['sbp', 'dbp'], ({ sbp, dbp }) => `${sbp || '–'} / ${dbp || '–'}`)
const heaviness = wholeOf(
  historyLabels.weight,
  ['weight'],
  ({ weight, weightUom }) => `${weight} ${weightUom === 'KG' ? 'kg' : 'lb'}`,
)
const tallness = wholeOf('Height', ['heightFeet', 'heightInches', 'heightCm'], (values) => {
  const { heightFeet: feet, heightInches: inches, heightCm } = values
  if (isCm(values)) return isGiven(heightCm) ? `${Number(heightCm)} cm` : ''
  return isGiven(feet) || isGiven(inches) ? `${Number(feet)} ft ${Number(inches)} in` : ''
})
/** Pressure, weight and height in one row, or in narrow cards in two. */
const measures = (span: number): readonly FieldDef[] => [
  { name: 'sbp', label: historyLabels.sbp, kind: 'number', span, whole: pressure },
  { name: 'dbp', label: historyLabels.dbp, kind: 'number', span, whole: pressure },
  { name: 'weight', label: historyLabels.weight, kind: 'number', span, whole: heaviness },
  {
    name: 'weightUom',
    label: historyLabels.weightUom,
    kind: 'select',
    lookup: 'weightUom',
    initial: 'LBS',
    isRequired: true,
    span,
    whole: heaviness,
  },
  { name: 'heightFeet', label: historyLabels.heightFeet, kind: 'number', isHidden: isCm, span, whole: tallness },
  {
    name: 'heightInches',
    label: historyLabels.heightInches,
    kind: 'number',
    isHidden: isCm,
    span,
    whole: tallness,
  },
  {
    name: 'heightCm',
    label: historyLabels.heightCm,
    kind: 'number',
    isHidden: (values) => !isCm(values),
    span: 2 * span,
    whole: tallness,
  },
  {
    name: 'heightUom',
    label: historyLabels.heightUom,
    kind: 'select',
    lookup: 'heightUom',
    initial: 'INCH',
    isRequired: true,
    whole: tallness,
  },
]
const t2d: readonly FieldDef[] = [
  yesNoField('isCovidVac'),
  {
    name: 'famHistT2DCode',
    label: historyLabels.famHistT2DCode,
    kind: 'select',
    lookup: 'famHistT2D',
    initial: 'UNK',
  },
  yesNoField('isSelfT2DGest'),
]

/** What a new requisition asks about the patient's history. */
export const newHistoryFieldDefs: readonly FieldDef[] = [
  ...measures(2),
  yesNoField('isSmoker', { initial: 0 }),
  yesNoField('isDiabetic', { initial: 0 }),
  yesNoField('isFamilyHistory', { initial: 0 }),
  ...t2d,
]

/** All of it. */
export const historyFieldDefs: readonly FieldDef[] = [
  ...measures(4),
  yesNoField('isSmoker'),
  yesNoField('isStress', { isRequired: true }),
  yesNoField('isObesity'),
  yesNoField('isDiabetic'),
  yesNoField('isFamilyHistory'),
  yesNoField('isPatientHistory', { isRequired: true }),
  yesNoField('isHypertension', { isRequired: true }),
  yesNoField('isLowHdl', { isRequired: true }),
  yesNoField('isLipidMed', { isRequired: true }),
  yesNoField('isBloodMed', { isRequired: true }),
  yesNoField('isMedNecessity', { isRequired: true }),
  ...t2d,
]

const turns = [
  { value: 'first', label: 'The first (before the clocks go back)' },
  { value: 'second', label: 'The second (after)' },
]

const turnText: Record<string, string> = { first: ', the first', second: ', the second' }
const collected = wholeOf(
  requisitionLabels.dateCollected,
  Object.keys(collectedLabels).filter((name) => name !== 'timeCollectedAmPm'),
  (values) => {
    const { dateCollectedMonth: month, dateCollectedDate: day, dateCollectedYear: year } = values
    const clock = clockOf(values.timeCollectedHours, values.timeCollectedMinutes, values.timeCollectedAmPm)
    return `${two(month)}/${two(day)}/${year} ${clock}${turnText[String(values.timeCollectedTurn)] ?? ''}`
  },
)

/** The moment of collection by the clocks of the client; on the day they are set back it may have to be said which. */
export const collectedFieldDefs = (zone: string | null, span: number): readonly FieldDef[] => {
  const part = (name: keyof typeof collectedLabels, shortLabel?: string): FieldDef => ({
    name,
    label: collectedLabels[name],
    ...(shortLabel && { shortLabel }),
    kind: 'number',
    isRequired: true,
    span,
    whole: collected,
  })
  return [
    part('dateCollectedMonth'),
    part('dateCollectedDate', 'Day'),
    part('dateCollectedYear', 'Year'),
    part('timeCollectedHours', 'Hours'),
    part('timeCollectedMinutes', 'Minutes'),
    { ...part('timeCollectedAmPm'), kind: 'select', options: halves, initial: 'am' },
    {
      name: 'timeCollectedTurn',
      label: collectedLabels.timeCollectedTurn,
      kind: 'radio',
      options: turns,
      isWide: true,
      isHidden: (values) => collectedInstants(values, zone).length < 2,
      whole: collected,
    },
  ]
}
