import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'data')

/** One of the content files under `data/`; every one is an array of plain objects. */
export const readSeedData = <Row>(name: string): Row[] =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Row[]

export type Sex = 'MALE' | 'FEMALE'
export type BandName = 'normal' | 'borderline' | 'unfavorable'

export interface FormulaSeed {
  op: 'add' | 'sub' | 'mul' | 'div' | 'band'
  args: (string | number | FormulaSeed)[]
  map?: Record<BandName, string>
}

export interface ConditionSeed {
  op: 'lt' | 'le' | 'gt' | 'ge'
  args: [string, number]
  message: string
}

export interface OptionSeed {
  code: string
  description: string
  band: BandName | null
  interpretation: string | null
}

type RangeKey = `${'m' | 'f'}${'Normal' | 'Border' | 'Unfav'}${'Lo' | 'Hi'}`

export interface TestSeed extends Record<RangeKey, number | null> {
  testCode: string
  testDesc: string
  resultKey: string
  reagentKey: string | null
  units: string | null
  loincCode: string | null
  resultKind: 'numeric' | 'category' | 'text'
  options: OptionSeed[] | null
  allowedText: string[]
  significantDigits: number
  isCalculated: 0 | 1
  formula: FormulaSeed | null
  validity: ConditionSeed[]
  onMissingInput: string | null
  onInvalid: string | null
  plausibility: Record<'rejectLo' | 'rejectHi' | 'confirmLo' | 'confirmHi', number | null>
  reportLo: number | null
  reportHi: number | null
  deltaCheck: { kind: 'percent' | 'absolute'; limit: number; withinDays: number } | null
  interpretationLabels: Record<BandName, string | null> | null
  specimenTypeCodes: string[]
  rangeSource: string | null
  sortOrder: number
}

export interface PanelSeed {
  panelCode: string
  panelDesc: string
  testCodes: string[]
  sortOrder: number
}

export interface InsuranceCompanySeed {
  name: string
  payerNo: string
  kind: 'COMMERCIAL' | 'MEDICARE' | 'MEDICAID'
}
