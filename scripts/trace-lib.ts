export interface Requirement {
  id: string
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
  /** When it began, in milliseconds; absent when the titles were only read. */
  at?: number
}

interface AreaCoverage {
  area: string
  title: string
  rows: number
  covered: number
  /** Named, but by no test that passed. */
  notPassing: string[]
  unnamed: string[]
}

interface UnknownId {
  id: string
  title: string
}

export interface Coverage {
  areas: AreaCoverage[]
  total: { rows: number; covered: number; notPassing: number; unnamed: number }
  unknown: UnknownId[]
}

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

const parseRow = (id: string, rest: string): Requirement => {
  const sameAs = /\(same as ([A-Z]+-\d+)\)/.exec(rest)?.[1]
  const text = rest.slice(0, rest.lastIndexOf(' | '))
  return sameAs ? { id, text, sameAs } : { id, text }
}

/** Only the prefixes of the catalogue make an id: 'SHA-256' or 'ICD-10' in a title is none. */
export const prefixesOf = (areas: Area[]): string[] => [
  ...new Set(
    areas.flatMap(({ rows, gaps }) => [...rows.map(({ id }) => id), ...gaps]).map((id) => id.split('-')[0] ?? ''),
  ),
]

/** The ids named in a title, ranges written out. A range that makes no sense comes back as it was written. */
export const idsInTitle = (title: string, prefixes: string[]): string[] => {
  if (prefixes.length === 0) return []
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
  const passing = new Set<string>()
  const named = new Set<string>()
  const unknown = new Map<string, UnknownId>()
  for (const { title, passed } of tests) {
    for (const id of idsInTitle(title, prefixes)) {
      if (!known.has(id)) unknown.set(`${id} ${title}`, { id, title })
      named.add(id)
      if (passed) passing.add(id)
    }
  }
  const twins = twinsOf(rows)
  const isIn = (ids: Set<string>, id: string) => ids.has(id) || (twins.get(id) ?? []).some((twin) => ids.has(twin))
  const coverages = areas.map((area) =>
    coverArea(
      area,
      (id) => isIn(passing, id),
      (id) => isIn(named, id),
    ),
  )
  return { areas: coverages, total: sumUp(coverages), unknown: [...unknown.values()] }
}

/**
 * A repeat and its original stand for each other, one step far: two repeats of one row can be its two halves
 * (LOOK-100 and LOOK-101 of DETAIL-179), so the one does not cover the other.
 */
export const twinsOf = (rows: Requirement[]): Map<string, string[]> => {
  const twins = new Map<string, string[]>()
  const add = (id: string, twin: string) => twins.set(id, [...(twins.get(id) ?? []), twin])
  for (const { id, sameAs } of rows) {
    if (!sameAs) continue
    add(id, sameAs)
    add(sameAs, id)
  }
  return twins
}

const coverArea = (area: Area, isPassing: (id: string) => boolean, isNamed: (id: string) => boolean): AreaCoverage => {
  const open = area.rows.map(({ id }) => id).filter((id) => !isPassing(id))
  return {
    area: area.name,
    title: area.title,
    rows: area.rows.length,
    covered: area.rows.length - open.length,
    notPassing: open.filter(isNamed),
    unnamed: open.filter((id) => !isNamed(id)),
  }
}

const sumUp = (areas: AreaCoverage[]): Coverage['total'] => {
  const sum = (count: (area: AreaCoverage) => number) => areas.reduce((total, area) => total + count(area), 0)
  return {
    rows: sum(({ rows }) => rows),
    covered: sum(({ covered }) => covered),
    notPassing: sum(({ notPassing }) => notPassing.length),
    unnamed: sum(({ unnamed }) => unnamed.length),
  }
}

interface VitestReport {
  testResults?: {
    startTime?: number
    assertionResults?: { ancestorTitles?: string[]; title: string; status: string }[]
  }[]
}

/** Tests of Vitest's JSON reporter, with the titles of their describes. */
export const testsOfVitest = (report: VitestReport): TitledTest[] =>
  (report.testResults ?? []).flatMap(({ startTime, assertionResults = [] }) =>
    assertionResults.map(({ ancestorTitles = [], title, status }) => ({
      title: [...ancestorTitles, title].join(' > '),
      passed: status === 'passed',
      ...(startTime !== undefined && { at: startTime }),
    })),
  )

interface PlaywrightTest {
  status: string
  results?: { status: string; startTime?: string }[]
}
interface PlaywrightSuite {
  title: string
  suites?: PlaywrightSuite[]
  specs?: { title: string; tests?: PlaywrightTest[] }[]
}

/** Tests of Playwright's JSON reporter, with the titles of their describes (and, harmlessly, the file name). */
export const testsOfPlaywright = (report: { suites?: PlaywrightSuite[] }): TitledTest[] =>
  (report.suites ?? []).flatMap((suite) => testsOfSuite(suite, []))

const testsOfSuite = (suite: PlaywrightSuite, above: string[]): TitledTest[] => {
  const path = [...above, suite.title]
  const own = (suite.specs ?? []).map(({ title, tests = [] }) => {
    const began = tests[0]?.results?.at(-1)?.startTime
    const at = began ? { at: Date.parse(began) } : {}
    return { title: [...path, title].join(' > '), passed: hasPassed(tests), ...at }
  })
  return [...own, ...(suite.suites ?? []).flatMap((inner) => testsOfSuite(inner, path))]
}

/** A spec has passed when no project failed it and at least one ran it: Playwright calls a skipped spec `ok`, too. */
const hasPassed = (tests: PlaywrightTest[]): boolean =>
  !tests.some(({ status }) => status === 'unexpected') &&
  tests.some(({ results = [] }) => results.at(-1)?.status === 'passed')

/** Modifiers after which the first text is still the title of something that runs. */
const running = [
  'only',
  'concurrent',
  'sequential',
  'serial',
  'parallel',
  'describe',
  'each',
  'for',
  'fails',
  'runIf',
  'skipIf',
]
/** Modifiers called with something else before the title: it.each(table)('title'). */
const curried = ['each', 'for', 'runIf', 'skipIf']

/** The titles in a test file, read without running it: good enough to see which ids are meant to be tested. */
export const titlesInSource = (source: string): string[] => {
  const code = source.replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(/(?<![\w.'"`-])(?:describe|suite|it|test)((?:\.\w+)*)\s*(?=[(`])/g)].flatMap((match) => {
    const modifiers = (match[1] ?? '').split('.').filter(Boolean)
    if (!modifiers.every((modifier) => running.includes(modifier))) return []
    const start = match.index + match[0].length
    const open = modifiers.some((modifier) => curried.includes(modifier)) ? endOfGroup(code, start) : start
    return firstText(code.slice(open))
  })
}

/** The position behind a bracketed group or template literal that begins at `start`. */
const endOfGroup = (code: string, start: number): number => {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const char = code.charAt(at)
    if (`'"\``.includes(char)) at = endOfText(code, at) - 1
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    if (depth === 0) return at + 1
  }
  return code.length
}

const endOfText = (code: string, start: number): number => {
  const quote = code.charAt(start)
  for (let at = start + 1; at < code.length; at++) {
    if (code.charAt(at) === '\\') at++
    else if (code.charAt(at) === quote) return at + 1
  }
  return code.length
}

const firstText = (code: string): string[] => {
  const [opening] = /^\s*\(\s*(?=['"`])/.exec(code) ?? []
  if (opening === undefined) return []
  const text = code.slice(opening.length + 1, endOfText(code, opening.length) - 1)
  return [text.replace(/\$\{[^}]*\}/g, ' ').replace(/\\(.)/g, '$1')]
}
