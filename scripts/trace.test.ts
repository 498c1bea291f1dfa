import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAreas, readTitles } from './evidence.ts'
import {
  type Area,
  computeCoverage,
  idsInTitle,
  type Level,
  levelOfTest,
  parseArea,
  prefixesOf,
  type Requirement,
  testsOfPlaywright,
  testsOfVitest,
} from './trace-lib.ts'

// The prefixes ROW and BOX are in no requirement file, so that the titles of this file never count as coverage themselves.
const anArea = (name: string, rows: Area['rows'], gaps: string[] = []): Area => ({ name, title: name, rows, gaps })
const row = (id: string, sameAs?: string): Requirement => ({
  id,
  level: 'rule',
  text: 'text',
  ...(sameAs && { sameAs }),
})
const passed = (title: string, level: Level = 'rule') => ({ title, passed: true, level })
const failed = (title: string, level: Level = 'rule') => ({ title, passed: false, level })

const folder = join(import.meta.dirname, '../docs/requirements')

describe('docs/decisions.md', () => {
  it('settles every gap of the catalogue in exactly one row', () => {
    const files = readdirSync(folder).filter((file) => file !== 'README.md')
    const gaps = files.flatMap((file) => parseArea(file, readFileSync(join(folder, file), 'utf8')).gaps)
    const decisions = readFileSync(join(folder, '../decisions.md'), 'utf8')
    const settled = [...decisions.matchAll(/^\| ([A-Z]+-G\d+) \| \S/gm)].map(([, gap]) => gap)
    expect(settled.toSorted()).toEqual(gaps.toSorted())
  })
})

describe('the titles of the tests', () => {
  const { unknown, crowded, areas } = computeCoverage(readAreas(), readTitles())

  it('name at most eight requirements each', () => {
    expect(crowded).toEqual([])
  })
  it('name no requirement that the catalogue does not have', () => {
    expect(unknown).toEqual([])
  })
  it('are read from the current tests: every area has one that is proven', () => {
    expect(areas.filter(({ proven }) => proven === 0)).toEqual([])
  })
})

describe('parseArea', () => {
  const markdown = [
    '# Sign-in',
    '| id | level | requirement | where |',
    '|---|---|---|---|',
    "| BOX-01 | screen | The header reads '#{id} \\| {last}'. | 1§2 |",
    '| BOX-02 | call | A box (same as ROW-065). | 1§7 |',
    '| BOX-03 | rule | The own one (see USR-70), same text as DETAIL-148. |',
    '| BOX-G1 | open | Not stated. | 1§7 |',
  ].join('\n')

  it('reads title, rows and gaps', () => {
    const area = parseArea('sign-in', markdown)
    expect(area).toMatchObject({ name: 'sign-in', title: 'Sign-in', gaps: ['BOX-G1'] })
    expect(area.rows.map((one) => one.id)).toEqual(['BOX-01', 'BOX-02', 'BOX-03'])
  })
  it('keeps a bar inside the text and leaves the place out, where there is one', () => {
    const texts = parseArea('sign-in', markdown).rows.map(({ text }) => text)
    expect(texts[0]).toBe("The header reads '#{id} \\| {last}'.")
    expect(texts[2]).toBe('The own one (see USR-70), same text as DETAIL-148.')
  })
  it('reads the level of each row, and refuses a row without one', () => {
    expect(parseArea('sign-in', markdown).rows.map(({ level }) => level)).toEqual(['screen', 'call', 'rule'])
    expect(() => parseArea('sign-in', '| BOX-01 | A box. | 1§2 |')).toThrow('BOX-01 has no level')
  })
  it('takes only (same as …) for a repeat', () => {
    expect(parseArea('sign-in', markdown).rows.map((one) => one.sameAs)).toEqual([undefined, 'ROW-065', undefined])
  })
  it('finds as many rows and gaps in the catalogue as its index says', () => {
    const index = readFileSync(join(folder, 'README.md'), 'utf8')
    const files = [...index.matchAll(/^\| \[([a-z-]+)\.md\].*?\| (\d+) \| \d+ \| (\d+) \| \d+ \|$/gm)]
    expect(files.length).toBeGreaterThan(0)
    for (const [, name = '', rows, gaps] of files) {
      const area = parseArea(name, readFileSync(join(folder, `${name}.md`), 'utf8'))
      expect([name, area.rows.length, area.gaps.length]).toEqual([name, Number(rows), Number(gaps)])
    }
  })
})

describe('idsInTitle', () => {
  const prefixes = ['ROW', 'BOX']

  it.each([
    ['none here', []],
    ['ROW-013: shows', ['ROW-013']],
    ['shows (ROW-013, BOX-01)', ['ROW-013', 'BOX-01']],
    ['settled as BOX-G10', ['BOX-G10']],
    ['hashes with SHA-256, codes of ICD-10', []],
    ['BLACKROW-013 and X-ROW-013', []],
  ])('%s', (title, ids) => {
    expect(idsInTitle(title, prefixes)).toEqual(ids)
  })
  it('writes out a range, both ends included', () => {
    const ids = ['ROW-009', 'ROW-010', 'ROW-011']
    expect(idsInTitle('ROW-009..ROW-011: tabs', prefixes)).toEqual(ids)
    expect(idsInTitle('ROW-009..011: tabs', prefixes)).toEqual(ids)
  })
  it('is not misled by the dots of a sentence', () => {
    expect(idsInTitle('does ROW-009... and more', prefixes)).toEqual(['ROW-009'])
  })
  it.each(['ROW-011..ROW-009', 'ROW-009..BOX-011', 'ROW-009..ROW-11', 'BOX-G1..BOX-G3'])(
    'gives back a senseless range as written, so that it is reported: %s',
    (title) => {
      expect(idsInTitle(title, prefixes)).toEqual([title])
    },
  )
  it('keeps what is attached to an id, so that it is reported', () => {
    expect(idsInTitle('ROW-013a shows', prefixes)).toEqual(['ROW-013a'])
  })
  it('takes a step by what it names itself, without its journey', () => {
    expect(idsInTitle('ROW-001 opens » ROW-002 closes', prefixes)).toEqual(['ROW-002'])
  })
  it('knows no ids without a catalogue', () => {
    expect(idsInTitle('ROW-013', [])).toEqual([])
  })
})

describe('prefixesOf', () => {
  it('lists each prefix once', () => {
    const area = anArea('a', [row('ROW-001'), row('ROW-002')], ['ROW-G1'])
    expect(prefixesOf([area])).toEqual(['ROW'])
  })
})

describe('computeCoverage', () => {
  const rows = [row('ROW-001'), row('ROW-002'), row('ROW-003')]

  it('tells covered, not passing and unnamed rows apart, and sums up', () => {
    const tests = [passed('ROW-001'), failed('ROW-001'), failed('ROW-002')]
    const coverage = computeCoverage([anArea('list', rows), anArea('sign', [row('BOX-01')])], tests)
    expect(coverage.areas[0]).toMatchObject({
      rows: 3,
      covered: 1,
      notPassing: ['ROW-002'],
      unnamed: ['ROW-003'],
    })
    expect(coverage.total).toMatchObject({ rows: 4, covered: 1, proven: 1, below: 0, notPassing: 1, unnamed: 2 })
    expect(coverage.unknown).toEqual([])
  })
  it('lets a repeat and its original cover each other, but not two repeats of one row', () => {
    const repeats = [row('BOX-100', 'ROW-001'), row('BOX-101', 'ROW-001')]
    const areas = [anArea('list', rows), anArea('look', repeats)]
    const uncovered = (title: string) => computeCoverage(areas, [passed(title)]).areas[1]?.unnamed
    expect(uncovered('ROW-001')).toEqual([])
    expect(uncovered('BOX-100')).toEqual(['BOX-101'])
    expect(computeCoverage(areas, [passed('BOX-100')]).areas[0]?.covered).toBe(1)
  })
  it('reports an id that no file has, from failed tests too, once per title', () => {
    const typo = 'ROW-004 of ROW-004'
    const { unknown } = computeCoverage([anArea('list', rows)], [failed(typo), passed(typo)])
    expect(unknown).toEqual([{ id: 'ROW-004', title: typo }])
  })
  it.each<[Level, Level[], Level[]]>([
    ['screen', ['screen'], ['call', 'rule']],
    ['call', ['screen', 'call'], ['rule']],
    ['rule', ['screen', 'call', 'rule'], []],
  ])(
    'takes a statement about a %s as proven by tests of the level %s, and as proven below it by %s',
    (level, at, below) => {
      const areas = [anArea('list', [{ id: 'ROW-001', level, text: 'text' }])]
      const totalWith = (test: Level) => computeCoverage(areas, [passed('ROW-001', test)]).total
      for (const test of at) expect(totalWith(test)).toMatchObject({ proven: 1, below: 0, covered: 1 })
      for (const test of below) expect(totalWith(test)).toMatchObject({ proven: 0, below: 1, covered: 1 })
    },
  )
  it('does not take a failed test of the right level for a proof', () => {
    const areas = [anArea('list', [{ id: 'ROW-001', level: 'screen', text: 'text' }])]
    const { total } = computeCoverage(areas, [failed('ROW-001', 'screen'), passed('ROW-001', 'call')])
    expect(total).toMatchObject({ proven: 0, below: 1 })
  })
  it.each([
    'A label printer prints (cannot be shown: there is no printer here).',
    'A wait (cannot be shown on a screen: no form has one).',
  ])('counts what cannot be shown apart, named or not: %s', (text) => {
    const areas = [anArea('list', [{ id: 'ROW-001', level: 'screen', text }, row('ROW-002')])]
    const { total } = computeCoverage(areas, [passed('ROW-001', 'screen')])
    expect(total).toMatchObject({ rows: 2, proven: 0, unnamed: 1, cannotBeShown: 1 })
  })
  it('reports a title with more than eight ids, those of its describes included', () => {
    const many = Array.from({ length: 9 }, (_, index) => row(`ROW-00${index + 1}`))
    const titles = ['ROW-001..ROW-009 all', 'ROW-001..ROW-008 most', 'ROW-001..ROW-008 > ROW-008 most']
    const { crowded } = computeCoverage(
      [anArea('list', many)],
      titles.map((title) => passed(title)),
    )
    expect(crowded).toEqual([{ ids: 9, title: 'ROW-001..ROW-009 all' }])
  })
  it('knows the gaps', () => {
    expect(computeCoverage([anArea('list', rows, ['ROW-G1'])], [passed('ROW-G1')]).unknown).toEqual([])
  })
})

describe('testsOfVitest', () => {
  it('joins the describes and knows what passed', () => {
    const assertionResults = [
      { ancestorTitles: ['outer', 'inner'], title: 'works', status: 'passed' },
      { ancestorTitles: [], title: 'waits', status: 'skipped' },
    ]
    const report = { testResults: [{ name: 'a.test.ts', assertionResults }] }
    expect(testsOfVitest(report, (file) => (file === 'a.test.ts' ? 'call' : 'rule'))).toEqual([
      passed('outer > inner > works', 'call'),
      failed('waits', 'call'),
    ])
  })
})

describe('testsOfPlaywright', () => {
  const spec = (title: string, ...statuses: [string, string][]) => ({
    title,
    tests: statuses.map(([status, result]) => ({ status, results: [{ status: result }] })),
  })
  const readOne = (...statuses: [string, string][]) =>
    testsOfPlaywright({
      suites: [{ title: 'a.spec.ts', suites: [{ title: 'page', specs: [spec('opens', ...statuses)] }] }],
    })

  it('joins file, describes and title', () => {
    expect(readOne(['expected', 'passed'])).toEqual([passed('a.spec.ts > page > opens', 'screen')])
  })
  it.each([
    ['expected', 'passed', true],
    ['unexpected', 'failed', false],
  ])('takes each step as a test of its own that passes only with its journey: %s', (status, result, isPassed) => {
    const steps = [
      { title: 'first', steps: [{ title: 'inner' }] },
      { title: 'second', error: { message: 'no' } },
    ]
    const tests = [{ status, results: [{ status: result, steps }] }]
    const read = testsOfPlaywright({ suites: [{ title: 'a.spec.ts', specs: [{ title: 'opens', tests }] }] })
    expect(read.map(({ title, passed: ok }) => [title, ok])).toEqual([
      ['a.spec.ts > opens', isPassed],
      ['a.spec.ts > opens » first', isPassed],
      ['a.spec.ts > opens » first » inner', isPassed],
      ['a.spec.ts > opens » second', false],
    ])
  })
  it('counts a test that passed on retry', () => {
    expect(readOne(['flaky', 'passed'])[0]?.passed).toBe(true)
  })
  it.each<[string, [string, string][]]>([
    ['skipped', [['skipped', 'skipped']]],
    [
      'failed in one of two projects',
      [
        ['expected', 'passed'],
        ['unexpected', 'failed'],
      ],
    ],
    ['failed as foreseen', [['expected', 'failed']]],
    ['never ran', []],
  ])('does not count one that %s', (_, statuses) => {
    expect(readOne(...statuses)[0]?.passed).toBe(false)
  })
})

describe('levelOfTest', () => {
  it.each<[string, string, string[], Level]>([
    ['e2e/journeys/clients.spec.ts', '', [], 'screen'],
    ['apps/web/src/ui/card.test.tsx', '', [], 'screen'],
    ['apps/server/src/modules/a.test.ts', 'const test = openTestApp()', [], 'call'],
    ['apps/server/src/modules/b.test.ts', '', ['const test = openTestApp()'], 'call'],
    ['apps/server/src/process.test.ts', 'await runServer({})', [], 'call'],
    ['apps/server/src/platform/zones.test.ts', '', ['export const openTestApp = () => {}'], 'rule'],
  ])('%s', (file, source, imported, level) => {
    expect(levelOfTest(file, source, imported)).toBe(level)
  })
})
