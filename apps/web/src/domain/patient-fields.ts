import { historyLabels } from '@lis/contract/clinical-history.ts'
import { patientLabels } from '@lis/contract/patients.ts'
import { collectedInstants, collectedLabels } from '@lis/contract/requisitions/collected.ts'
import { requisitionLabels } from '@lis/contract/requisitions/create.ts'
import type { DatePart } from '../ui/form/date-parts.ts'
import type { CompositeField, FieldDef, Values } from '../ui/form/field-types.ts'
import { convertHeight, convertWeight } from './measures.ts'

const label = patientLabels
export const yesNo = [
  { value: 1, label: 'Yes' },
  { value: 0, label: 'No' },
]
export const halves = [
  { value: 'am', label: 'AM', shortKeyCode: 'A' },
  { value: 'pm', label: 'PM', shortKeyCode: 'P' },
]

const isFilled = (value: unknown) => String(value ?? '') !== ''
const twoDigits = (value: unknown) => String(value ?? '').padStart(2, '0')
/** A composite value, shown only if one of its parts is filled in. */
export const compositeOf = (
  label: string,
  names: readonly string[],
  show: (values: Values) => string,
): CompositeField => ({
  label,
  show: (values) => (names.some((name) => isFilled(values[name])) ? show(values) : ''),
})
/** A time of day entered in three parts. */
export const formatTimeParts = (hours: unknown, minutes: unknown, half: unknown) =>
  `${twoDigits(hours)}:${twoDigits(minutes)} ${String(half ?? '').toUpperCase()}`
const birthDate = compositeOf(
  label.patientDob,
  ['patientDobMonth', 'patientDobDate', 'patientDobYear'],
  ({ patientDobMonth: month, patientDobDate: day, patientDobYear: year }) =>
    `${twoDigits(month)}/${twoDigits(day)}/${year}`,
)

const dobParts = { month: 'patientDobMonth', day: 'patientDobDate', year: 'patientDobYear' }

/** The patient's identity. */
export const identityFieldDefs: readonly FieldDef[] = [
  { name: 'patientFirstName', label: label.patientFirstName, kind: 'text', isRequired: true },
  { name: 'patientMiddleName', label: label.patientMiddleName, kind: 'text' },
  { name: 'patientLastName', label: label.patientLastName, kind: 'text', isRequired: true },
  {
    name: 'patientDobMonth',
    part: { of: 'month', date: dobParts },
    label: label.patientDobMonth,
    kind: 'number',
    isRequired: true,
    span: 3,
    composite: birthDate,
  },
  {
    name: 'patientDobDate',
    part: { of: 'day' },
    label: label.patientDobDate,
    shortLabel: 'Day',
    kind: 'number',
    isRequired: true,
    span: 2,
    composite: birthDate,
  },
  {
    name: 'patientDobYear',
    part: { of: 'year', date: dobParts },
    label: label.patientDobYear,
    shortLabel: 'Year',
    kind: 'number',
    isRequired: true,
    span: 3,
    composite: birthDate,
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

/** The patient's contact data. */
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
    waitingHint: 'Choose a country first',
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
const pressure = compositeOf('Blood pressure', ['sbp', 'dbp'], ({ sbp, dbp }) => `${sbp || '–'} / ${dbp || '–'}`)
const weight = compositeOf(
  historyLabels.weight,
  ['weight'],
  ({ weight, weightUom }) => `${weight} ${weightUom === 'KG' ? 'kg' : 'lb'}`,
)
const height = compositeOf('Height', ['heightFeet', 'heightInches', 'heightCm'], (values) => {
  const { heightFeet: feet, heightInches: inches, heightCm } = values
  if (isCm(values)) return isFilled(heightCm) ? `${Number(heightCm)} cm` : ''
  return isFilled(feet) || isFilled(inches) ? `${Number(feet)} ft ${Number(inches)} in` : ''
})
/** Pressure, weight and height in one row, or in two in narrow cards. */
const measures = (span: number): readonly FieldDef[] => [
  { name: 'sbp', label: historyLabels.sbp, kind: 'number', span, composite: pressure },
  { name: 'dbp', label: historyLabels.dbp, kind: 'number', span, composite: pressure },
  { name: 'weight', label: historyLabels.weight, kind: 'number', span, composite: weight },
  {
    name: 'weightUom',
    label: historyLabels.weightUom,
    kind: 'select',
    lookup: 'weightUom',
    initial: 'LBS',
    converts: convertWeight,
    isRequired: true,
    span,
    composite: weight,
  },
  { name: 'heightFeet', label: historyLabels.heightFeet, kind: 'number', isHidden: isCm, span, composite: height },
  {
    name: 'heightInches',
    label: historyLabels.heightInches,
    kind: 'number',
    isHidden: isCm,
    span,
    composite: height,
  },
  {
    name: 'heightCm',
    label: historyLabels.heightCm,
    kind: 'number',
    isHidden: (values) => !isCm(values),
    span: 2 * span,
    composite: height,
  },
  {
    name: 'heightUom',
    label: historyLabels.heightUom,
    kind: 'select',
    lookup: 'heightUom',
    initial: 'INCH',
    converts: convertHeight,
    isRequired: true,
    composite: height,
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

/** The history fields of a new requisition. */
export const newHistoryFieldDefs: readonly FieldDef[] = [
  ...measures(2),
  yesNoField('isSmoker', { initial: 0 }),
  yesNoField('isDiabetic', { initial: 0 }),
  yesNoField('isFamilyHistory', { initial: 0 }),
  ...t2d,
]

/** All history fields. */
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

const repeatedHourOptions = [
  { value: 'first', label: 'The first (before the clocks go back)' },
  { value: 'second', label: 'The second (after)' },
]

const repeatedHourText: Record<string, string> = { first: ', the first', second: ', the second' }
const collected = compositeOf(
  requisitionLabels.dateCollected,
  Object.keys(collectedLabels).filter((name) => name !== 'timeCollectedAmPm'),
  (values) => {
    const { dateCollectedMonth: month, dateCollectedDate: day, dateCollectedYear: year } = values
    const clock = formatTimeParts(values.timeCollectedHours, values.timeCollectedMinutes, values.timeCollectedAmPm)
    return `${twoDigits(month)}/${twoDigits(day)}/${year} ${clock}${repeatedHourText[String(values.timeCollectedTurn)] ?? ''}`
  },
)

const collectedDate = { month: 'dateCollectedMonth', day: 'dateCollectedDate', year: 'dateCollectedYear' }

/** The collection time in the client's time zone; when clocks are set back, an hour occurs twice and the user chooses which. */
export const collectedFieldDefs = (zone: string | null, span: number): readonly FieldDef[] => {
  const part = (name: keyof typeof collectedLabels, of: DatePart['of'] | null, shortLabel?: string): FieldDef => ({
    name,
    ...(of && { part: { of, date: collectedDate } }),
    label: collectedLabels[name],
    ...(shortLabel && { shortLabel }),
    kind: 'number',
    isRequired: true,
    span,
    composite: collected,
  })
  return [
    part('dateCollectedMonth', 'month'),
    part('dateCollectedDate', 'day', 'Day'),
    part('dateCollectedYear', 'year', 'Year'),
    part('timeCollectedHours', 'hours', 'Hours'),
    part('timeCollectedMinutes', 'minutes', 'Minutes'),
    { ...part('timeCollectedAmPm', null), kind: 'select', options: halves, initial: 'am' },
    {
      name: 'timeCollectedTurn',
      label: collectedLabels.timeCollectedTurn,
      kind: 'radio',
      options: repeatedHourOptions,
      isWide: true,
      isHidden: (values) => collectedInstants(values, zone).length < 2,
      composite: collected,
    },
  ]
}

/** The values of a form without the parts of the collection, which are sent as one instant. */
export const withoutCollectedParts = <T extends object>(data: T) =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !/^(date|time)Collected/.test(name))) as Omit<
    T,
    `dateCollected${string}` | `timeCollected${string}`
  >
