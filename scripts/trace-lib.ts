/** Where a statement has to be proven, highest first: seen on a screen, answered by a call, or a rule by itself. */
const levels = ['screen', 'call', 'rule'] as const
export type Level = (typeof levels)[number]

export interface Requirement {
  id: string
  level: Level
  text: string
  /** The row that this one repeats: '(same as SPEC-065)'. */
  sameAs?: string
}

/** One file of docs/requirements. */
export interface Area {
  name: string
  title: string
  rows: Requirement[]
  gaps: string[]
}

export interface TitledTest {
  title: string
  passed: boolean
  level: Level
  /** When it began, in milliseconds; absent when the titles were only read. */
  at?: number
}

/** How far a row is proven: by a passing test of its level or a higher one, by lower ones only, or not at all. */
export type Proof = 'proven' | 'below' | 'not proven' | 'cannot be shown'

interface AreaCoverage {
  area: string
  title: string
  rows: number
  /** Named by a passing test, of whatever level. */
  covered: number
  proven: number
  /** Named by passing tests of a lower level only. */
  below: string[]
  /** Named, but by no test that passed. */
  notPassing: string[]
  unnamed: string[]
  /** Their statement says why no test can show them; counted apart. */
  cannotBeShown: string[]
}

interface UnknownId {
  id: string
  title: string
}

export interface Coverage {
  areas: AreaCoverage[]
  total: Totals
  unknown: UnknownId[]
  /** Titles with more ids than one test can prove. */
  crowded: CrowdedTitle[]
}

interface Totals {
  rows: number
  covered: number
  proven: number
  below: number
  notPassing: number
  unnamed: number
  cannotBeShown: number
}

interface CrowdedTitle {
  ids: number
  title: string
}

/** The maximum number of ids in a title; with more, it is a list and not a statement that a test can prove. */
export const maxIdsInTitle = 8

export const parseArea = (name: string, markdown: string): Area => {
  const area: Area = { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, rows: [], gaps: [] }
  for (const line of markdown.split('\n')) {
    const [, id, rest] = /^\| ([A-Z]+-G?\d+) \| (.+) \|\s*$/.exec(line) ?? []
    if (!id || !rest) continue
    if (id.includes('-G')) area.gaps.push(id)
    else area.rows.push(parseRow(id, rest))
  }
  return area
}

/** `level | requirement | where`; the last column is missing in the areas beyond the specification. */
const parseRow = (id: string, rest: string): Requirement => {
  const [level = '', text = ''] = rest.split(/(?<!\\) \| /)
  if (!isLevel(level)) throw new Error(`${id} has no level: write screen, call or rule into its second column`)
  const sameAs = /\(same as ([A-Z]+-\d+)\)/.exec(text)?.[1]
  return sameAs ? { id, level, text, sameAs } : { id, level, text }
}

const isLevel = (text: string): text is Level => (levels as readonly string[]).includes(text)

/** Only the prefixes of the catalogue make an id: 'SHA-256' or 'ICD-10' in a title is none. */
export const prefixesOf = (areas: Area[]): string[] => [
  ...new Set(
    areas.flatMap(({ rows, gaps }) => [...rows.map(({ id }) => id), ...gaps]).map((id) => id.split('-')[0] ?? ''),
  ),
]

/** Stands between a journey and its step: the step proves what it names itself, and the journey the rest. */
export const stepMark = ' » '

/** The ids named in a title, ranges written out. A range that makes no sense comes back as it was written. */
export const idsInTitle = (whole: string, prefixes: string[]): string[] => {
  if (prefixes.length === 0) return []
  const title = whole.split(stepMark).at(-1) ?? ''
  const prefix = `(?:${prefixes.join('|')})`
  // Trailing word characters belong to the match, so that 'LIST-013a' is seen as a typo and not as LIST-013.
  const id = `${prefix}-G?\\d\\w*`
  const pattern = new RegExp(`(?<![\\w-])(${id})(?:\\.\\.(${id}|\\d+(?!\\w)))?`, 'g')
  return [...title.matchAll(pattern)].flatMap(([written, from = '', to]) =>
    to ? expandRange(from, to, written) : [from],
  )
}

const expandRange = (from: string, to: string, written: string): string[] => {
  const [prefix = '', first = ''] = from.split('-')
  const [toPrefix = '', last = ''] = to.includes('-') ? to.split('-') : [prefix, to]
  const isSound = prefix === toPrefix && /^\d+$/.test(first + last) && first.length === last.length && first <= last
  if (!isSound) return [written]
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, step) => {
    return `${prefix}-${String(Number(first) + step).padStart(first.length, '0')}`
  })
}

export const computeCoverage = (areas: Area[], tests: TitledTest[]): Coverage => {
  const rows = areas.flatMap((area) => area.rows)
  const known = new Set([...rows.map(({ id }) => id), ...areas.flatMap(({ gaps }) => gaps)])
  const prefixes = prefixesOf(areas)
  const unknown = new Map<string, UnknownId>()
  const crowded = new Map<string, CrowdedTitle>()
  for (const { title } of tests) {
    const ids = new Set(idsInTitle(title, prefixes))
    for (const id of ids) if (!known.has(id)) unknown.set(`${id} ${title}`, { id, title })
    if (ids.size > maxIdsInTitle) crowded.set(title, { ids: ids.size, title })
  }
  const testsOf = testsByRow(areas, tests)
  const coverages = areas.map((area) => coverArea(area, testsOf))
  return {
    areas: coverages,
    total: sumUp(coverages),
    unknown: [...unknown.values()],
    crowded: [...crowded.values()].sort((a, b) => b.ids - a.ids),
  }
}

/** The tests that name a row, or the row that it repeats or that repeats it. */
export const testsByRow = (areas: Area[], tests: TitledTest[]): ((id: string) => TitledTest[]) => {
  const prefixes = prefixesOf(areas)
  const byId = new Map<string, TitledTest[]>()
  for (const test of tests)
    for (const id of new Set(idsInTitle(test.title, prefixes))) byId.set(id, [...(byId.get(id) ?? []), test])
  const related = repeatsAndOriginals(areas.flatMap(({ rows }) => rows))
  return (id) => [...new Set([id, ...(related.get(id) ?? [])].flatMap((one) => byId.get(one) ?? []))]
}

/** A journey goes through the real calls and a call through the rules, so a higher level proves the lower ones. */
export const proofOf = ({ text, level }: Requirement, tests: TitledTest[]): Proof => {
  if (/\(cannot be shown[^():]*: /.test(text)) return 'cannot be shown'
  const passing = tests.filter(({ passed }) => passed)
  if (passing.length === 0) return 'not proven'
  return passing.some((test) => levels.indexOf(test.level) <= levels.indexOf(level)) ? 'proven' : 'below'
}

/**
 * A repeat and its original prove each other, one step far: two repeats of one row can be its two halves
 * (LOOK-100 and LOOK-101 of DETAIL-179), so the one does not cover the other.
 */
const repeatsAndOriginals = (rows: Requirement[]): Map<string, string[]> => {
  const related = new Map<string, string[]>()
  const add = (id: string, other: string) => related.set(id, [...(related.get(id) ?? []), other])
  for (const { id, sameAs } of rows) {
    if (!sameAs) continue
    add(id, sameAs)
    add(sameAs, id)
  }
  return related
}

const coverArea = (area: Area, testsOf: (id: string) => TitledTest[]): AreaCoverage => {
  const proofs = area.rows.map((row) => ({ id: row.id, proof: proofOf(row, testsOf(row.id)) }))
  const idsWith = (proof: Proof) => proofs.filter((one) => one.proof === proof).map(({ id }) => id)
  const proven = idsWith('proven').length
  const below = idsWith('below')
  const open = idsWith('not proven')
  return {
    area: area.name,
    title: area.title,
    rows: area.rows.length,
    covered: proven + below.length,
    proven,
    below,
    notPassing: open.filter((id) => testsOf(id).length > 0),
    unnamed: open.filter((id) => testsOf(id).length === 0),
    cannotBeShown: idsWith('cannot be shown'),
  }
}

export const sumUp = (areas: AreaCoverage[]): Totals => {
  const sum = (count: (area: AreaCoverage) => number) => areas.reduce((total, area) => total + count(area), 0)
  return {
    rows: sum(({ rows }) => rows),
    covered: sum(({ covered }) => covered),
    proven: sum(({ proven }) => proven),
    below: sum(({ below }) => below.length),
    notPassing: sum(({ notPassing }) => notPassing.length),
    unnamed: sum(({ unnamed }) => unnamed.length),
    cannotBeShown: sum(({ cannotBeShown }) => cannotBeShown.length),
  }
}

/** A call test goes through the real routes: it, or a file that it imports, builds the whole server. */
export const levelOfTest = (file: string, source: string, imported: string[] = []): Level => {
  if (/(^|\/)e2e\/|\.test\.tsx$/.test(file)) return 'screen'
  return [source, ...imported].some((text) => /\b(openTestApp|runServer)\(/.test(text)) ? 'call' : 'rule'
}

interface VitestReport {
  testResults?: {
    name?: string
    startTime?: number
    assertionResults?: { ancestorTitles?: string[]; title: string; status: string }[]
  }[]
}

/** Tests of Vitest's JSON reporter, with the titles of their describes. */
export const testsOfVitest = (report: VitestReport, levelOf: (file: string) => Level): TitledTest[] =>
  (report.testResults ?? []).flatMap(({ name = '', startTime, assertionResults = [] }) =>
    assertionResults.map(({ ancestorTitles = [], title, status }) => ({
      title: [...ancestorTitles, title].join(' > '),
      passed: status === 'passed',
      level: levelOf(name),
      ...(startTime !== undefined && { at: startTime }),
    })),
  )

interface PlaywrightTest {
  status: string
  results?: { status: string; startTime?: string; steps?: PlaywrightStep[] }[]
}
interface PlaywrightStep {
  title: string
  error?: unknown
  steps?: PlaywrightStep[]
}
interface PlaywrightSuite {
  title: string
  suites?: PlaywrightSuite[]
  specs?: { title: string; tests?: PlaywrightTest[] }[]
}

/** Tests of Playwright's JSON reporter, with the titles of their describes (and, harmlessly, the file name). A step is a test of its own. */
export const testsOfPlaywright = (report: { suites?: PlaywrightSuite[] }): TitledTest[] =>
  (report.suites ?? []).flatMap((suite) => testsOfSuite(suite, []))

const testsOfSuite = (suite: PlaywrightSuite, above: string[]): TitledTest[] => {
  const path = [...above, suite.title]
  const own = (suite.specs ?? []).flatMap(({ title, tests = [] }): TitledTest[] => {
    const last = tests[0]?.results?.at(-1)
    const at = last?.startTime ? { at: Date.parse(last.startTime) } : {}
    const spec = { title: [...path, title].join(' > '), passed: hasPassed(tests), level: 'screen' as const, ...at }
    return [spec, ...stepsOf(last?.steps ?? [], spec)]
  })
  return [...own, ...(suite.suites ?? []).flatMap((inner) => testsOfSuite(inner, path))]
}

/** A step counts only in a spec that passed as a whole. */
const stepsOf = (steps: PlaywrightStep[], above: TitledTest): TitledTest[] =>
  steps.flatMap(({ title, error, steps: inner = [] }) => {
    const step = { ...above, title: `${above.title}${stepMark}${title}`, passed: above.passed && error === undefined }
    return [step, ...stepsOf(inner, step)]
  })

/** A spec has passed when no project failed it and at least one ran it: Playwright calls a skipped spec `ok`, too. */
const hasPassed = (tests: PlaywrightTest[]): boolean =>
  !tests.some(({ status }) => status === 'unexpected') &&
  tests.some(({ results = [] }) => results.at(-1)?.status === 'passed')
