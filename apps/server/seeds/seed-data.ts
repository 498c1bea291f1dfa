import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestDefinition } from '@lis/contract/results/rules.ts'

const folder = join(import.meta.dirname, 'data')

/** One of the content files under `data/`; every one is an array of plain objects. */
export const readSeedData = <Row>(name: string): Row[] =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Row[]

export interface TestSeed extends TestDefinition {
  testDesc: string
  reagentKey: string | null
  cptCode: string | null
  loincCode: string | null
  isCalculated: 0 | 1
  onMissingInput: string | null
  onInvalid: string | null
  plausibility: Record<'rejectLo' | 'rejectHi' | 'confirmLo' | 'confirmHi', number | null>
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
