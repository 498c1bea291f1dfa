import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Area,
  computeCoverage,
  idsInTitle,
  parseArea,
  prefixesOf,
  testsOfPlaywright,
  testsOfVitest,
  titlesInSource,
} from './trace-lib.ts'

// The prefixes ROW and BOX are in no requirement file, so that the titles of this file never count as coverage themselves.
const anArea = (name: string, rows: Area['rows'], gaps: string[] = []): Area => ({ name, title: name, rows, gaps })
const row = (rowId: string, sameAs?: string) =>
  sameAs ? { id: rowId, text: 'text', sameAs } : { id: rowId, text: 'text' }
const passed = (title: string) => ({ title, passed: true })
const failed = (title: string) => ({ title, passed: false })

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

describe('parseArea', () => {
  const markdown = [
    '# Sign-in',
    '| id | requirement | where |',
    '|---|---|---|',
    "| BOX-01 | The header reads '#{id} \\| {last}'. | 1§2 |",
    '| BOX-02 | A box (same as ROW-065). | 1§7 |',
    '| BOX-03 | The own one (see USR-70), same text as DETAIL-148. | 1§2 |',
    '| BOX-G1 | open | Not stated. | 1§7 |',
  ].join('\n')

  it('reads title, rows and gaps', () => {
    const area = parseArea('sign-in', markdown)
    expect(area).toMatchObject({ name: 'sign-in', title: 'Sign-in', gaps: ['BOX-G1'] })
    expect(area.rows.map((one) => one.id)).toEqual(['BOX-01', 'BOX-02', 'BOX-03'])
  })
  it('keeps a bar inside the text and leaves the place out', () => {
    expect(parseArea('sign-in', markdown).rows[0]?.text).toBe("The header reads '#{id} \\| {last}'.")
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
  it('keeps what hangs on an id, so that it is reported', () => {
    expect(idsInTitle('ROW-013a shows', prefixes)).toEqual(['ROW-013a'])
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
    expect(coverage.total).toEqual({ rows: 4, covered: 1, notPassing: 1, unnamed: 2 })
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
    expect(testsOfVitest({ testResults: [{ assertionResults }] })).toEqual([
      passed('outer > inner > works'),
      failed('waits'),
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
    expect(readOne(['expected', 'passed'])).toEqual([passed('a.spec.ts > page > opens')])
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

describe('titlesInSource', () => {
  it.each<[string, string, string[]]>([
    [
      'plain',
      `describe('one', () => {\n  it("two's", () => {})\n  test(\`three \${x} end\`, f)\n})`,
      ['one', "two's", 'three   end'],
    ],
    ['on the next line', `it(\n  'one',\n  f,\n)`, ['one']],
    ['escaped quotes', `it('don\\'t', f)`, ["don't"]],
    [
      'modifiers',
      `it.only('one', f); test.describe.serial('two', f); describe.concurrent('three', f)`,
      ['one', 'two', 'three'],
    ],
    ['tables', `it.each([['a)', 1], ["b'(", 2]])('one %s', f); it.each\`a|b\${1}|\${2}\`('two', f)`, ['one %s', 'two']],
    ['conditions', `it.skipIf(isCi())('one', f)`, ['one']],
    ['not run', `it.skip('a', f); it.todo('b'); test.fixme('c', f)\n  // it('d', f)`, []],
    ['not tests', `test.step('a', f); wait.it('b'); submit('c'); test(name, f); test.use({ a: 'b' })`, []],
  ])('reads titles: %s', (_, source, titles) => {
    expect(titlesInSource(source)).toEqual(titles)
  })
})
