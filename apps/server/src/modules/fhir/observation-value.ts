import type { Observation, ObservationReferenceRange, Quantity } from '@medplum/fhirtypes'
import type { ReportResult } from '../reports/content.ts'
import { systems, withoutEmpty } from './terms.ts'

/** A result as printed on a report, or as stored while no report contains it. */
export type SaidResult = Pick<ReportResult, 'value'> & Partial<ReportResult>

/** UCUM codes of units that are usually written differently. */
const ucum: Record<string, string> = {
  '%': '%',
  'mg/dL': 'mg/dL',
  'mg/L': 'mg/L',
  'g/dL': 'g/dL',
  'g/L': 'g/L',
  'ng/mL': 'ng/mL',
  'ng/dL': 'ng/dL',
  'pg/mL': 'pg/mL',
  'ug/dL': 'ug/dL',
  'µg/dL': 'ug/dL',
  'mmol/L': 'mmol/L',
  'umol/L': 'umol/L',
  'µmol/L': 'umol/L',
  'nmol/L': 'nmol/L',
  'pmol/L': 'pmol/L',
  'mEq/L': 'meq/L',
  'U/L': 'U/L',
  'IU/L': '[IU]/L',
  'IU/mL': '[IU]/mL',
  'mIU/L': 'm[IU]/L',
  'uIU/mL': 'u[IU]/mL',
  'µIU/mL': 'u[IU]/mL',
  'AU/mL': "[arb'U]/mL",
  fL: 'fL',
  pg: 'pg',
  sec: 's',
  'mm/h': 'mm/h',
  'mg/g': 'mg/g',
  '10^3/uL': '10*3/uL',
  '10^6/uL': '10*6/uL',
  'mL/min/1.73m2': 'mL/min/{1.73_m2}',
  score: '{score}',
  ratio: '{ratio}',
}

/** A number as printed: 5.10 has another precision than 5.1. */
const exactNumber = (text: string): number =>
  (JSON as unknown as { rawJSON: (text: string) => number }).rawJSON(text.replace(/^(-?)0+(?=\d)/, '$1'))

const quantity = (number: string, unit: string | null | undefined, comparator?: Quantity['comparator']): Quantity => ({
  value: exactNumber(number),
  ...(comparator && { comparator }),
  ...(unit && { unit }),
  ...(unit && ucum[unit] && { system: systems.ucum, code: ucum[unit] }),
})

const flags = { H: 'High', L: 'Low', A: 'Abnormal', N: 'Normal' } as const

const absent = (code: string, display: string): Pick<Observation, 'dataAbsentReason'> => ({
  dataAbsentReason: { coding: [{ system: systems.absentReason, code, display }] },
})

type ValuePart = Pick<
  Observation,
  'valueQuantity' | 'valueString' | 'dataAbsentReason' | 'interpretation' | 'referenceRange' | 'note'
>

/** Value, range, interpretation and notes of a result, or the reason why there is none. */
export const observationValue = (said: SaidResult | null, status: Observation['status']): ValuePart => {
  if (!said)
    return status === 'registered' ? absent('temp-unknown', 'Temporarily Unknown') : absent('unknown', 'Unknown')
  const flag = said.flag || (said.isNormal ? 'N' : '')
  const interpretation = withoutEmpty({
    coding: flag ? [{ system: systems.interpretation, code: flag, display: flags[flag] }] : [],
    text: said.interpretation ?? undefined,
  })
  return withoutEmpty<ValuePart>({
    ...readValue(said),
    interpretation: Object.keys(interpretation).length > 0 ? [interpretation] : [],
    note: [said.comment, said.failReasons].flatMap((text) => (text ? [{ text }] : [])),
    referenceRange: said.range ? [rangeOf(said.range, said.unit)] : [],
  })
}

const readValue = ({ value, unit }: SaidResult): ValuePart => {
  if (value === '') return absent('not-performed', 'Not Performed')
  const [, comparator, number] = /^(<=|>=|<|>)?\s*(-?\d+(?:\.\d+)?)$/.exec(value) ?? []
  if (number === undefined) return { valueString: value }
  return { valueQuantity: quantity(number, unit, comparator as Quantity['comparator']) }
}

const number = String.raw`(-?\d+(?:\.\d+)?)`
const between = new RegExp(`^${number} - ${number}$`)
const atMost = new RegExp(`^<= ${number}$`)
const atLeast = new RegExp(`^>= ${number}$`)

/** As the report prints it: `70 - 99`, `<= 199`, `>= 40`. */
const rangeOf = (text: string, unit: string | null | undefined): ObservationReferenceRange => {
  const [, low, high] = between.exec(text) ?? [text, atLeast.exec(text)?.[1], atMost.exec(text)?.[1]]
  return {
    ...(low !== undefined && { low: quantity(low, unit) }),
    ...(high !== undefined && { high: quantity(high, unit) }),
    text,
  }
}
