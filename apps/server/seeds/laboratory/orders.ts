import type { Catalogue, CatalogueTest } from './catalogue.ts'
import { type Random, type Weighted, weighted } from './random.ts'

export interface OrderedTest {
  test: CatalogueTest
  panelId: number | null
}

/** A usual combination of panels and single tests, with the specimens it needs. */
export interface Order {
  tests: readonly OrderedTest[]
  specimenTypes: readonly string[]
  needsFasting: boolean
}

/** `PANEL` or `*TEST`, weight for routine orders, for wellness events and for SARS-CoV-2 screening. */
const templates: readonly (readonly [string, number, number, number])[] = [
  ['LIPID', 16, 22, 0],
  ['LIPIDEXP', 3, 0, 0],
  ['*A1C', 11, 10, 0],
  ['LIPID *A1C', 5, 18, 0],
  ['INFLAM', 8, 0, 0],
  ['APO', 6, 0, 0],
  ['CARDIO', 4, 0, 0],
  ['WELL', 3, 30, 0],
  ['PULSPNL', 9, 6, 0],
  ['*SVDX', 12, 8, 0],
  ['*SVDX *A1C', 6, 4, 0],
  ['DPPNL', 8, 2, 0],
  ['ELPPNL', 5, 0, 0],
  ['COVIDAB', 4, 0, 35],
  ['*COVAG', 3, 0, 35],
  ['*IGGII', 3, 0, 20],
  ['COVIDFUL', 1, 0, 10],
]

const wellness = new Set(['HEALTHFAIR', 'CORPWELL', 'SENIOR', 'MOBILE'])

export interface OrderBook {
  forProgram: (program: string, random: Random) => Order
}

export const makeOrderBook = (catalogue: Catalogue): OrderBook => {
  const orders = templates.map(([text]) => parseTemplate(catalogue, text))
  const draw = (column: 1 | 2 | 3): Weighted<Order> =>
    weighted(templates.map((template, index) => [orders[index] as Order, template[column]] as const))
  const [routine, events, screening] = [draw(1), draw(2), draw(3)]
  return {
    forProgram: (program, random) =>
      random.draw(program === 'COVIDSCR' ? screening : wellness.has(program) ? events : routine),
  }
}

const parseTemplate = (catalogue: Catalogue, text: string): Order => {
  const tests = new Map<string, OrderedTest>()
  const add = (code: string, panelId: number | null) => {
    const test = catalogue.tests.get(code)
    if (test && !tests.has(code)) tests.set(code, { test, panelId })
  }
  for (const part of text.split(' ')) {
    const panel = catalogue.panels.get(part)
    if (part.startsWith('*')) add(part.slice(1), null)
    else for (const code of panel?.testCodes ?? []) add(code, panel?.id ?? null)
  }
  const ordered = [...tests.values()]
  return { tests: ordered, specimenTypes: specimensFor(ordered), needsFasting: tests.has('TRIG') }
}

/** As few tubes as possible: a test that can be done from one of the tubes needs no tube of its own. */
const specimensFor = (tests: readonly OrderedTest[]): string[] => {
  const types: string[] = []
  for (const { test } of tests) {
    if (!test.specimenTypeCodes.some((type) => types.includes(type))) types.push(test.specimenTypeCodes[0] as string)
  }
  return types
}

export interface TubeKind {
  container: string
  temperatures: Weighted<string>
  /** How it is kept in the freezer. */
  location: string
  collect: string
}

const cold = weighted([
  ['REF', 70],
  ['FRZ', 20],
  ['AMB', 10],
])
const ambient = weighted([['AMB', 1]])
const serum: TubeKind = { container: 'SST', temperatures: cold, location: 'SERUM', collect: 'VENI' }
const swab: TubeKind = { container: 'SWAB', temperatures: cold, location: 'SWAB', collect: 'NASAL' }

/** What a specimen of this type comes in. */
export const tubeKinds: Record<string, TubeKind> = {
  SERUM: serum,
  EDTAPLASMA: { ...serum, container: 'PPT', location: 'PLASMA' },
  HEPPLASMA: { ...serum, container: 'GRN', location: 'PLASMA' },
  EDTAWB: { ...serum, container: 'LAV', location: 'WB' },
  DBS: { container: 'DBSCARD', temperatures: ambient, location: 'DBS', collect: 'FINGER' },
  NASALSWAB: swab,
  NPSWAB: { ...swab, collect: 'NASOPH' },
}
