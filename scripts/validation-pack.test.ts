import { describe, expect, it } from 'vitest'
import type { Area, TitledTest } from './trace-lib.ts'
import { countProofs, countVerdicts, proveAreas, renderPack } from './validation-pack-lib.ts'

// The prefixes ROW and BOX are in no requirement file, so that the titles of this file never count as coverage themselves.
const areas: Area[] = [
  {
    name: 'boxes',
    title: 'Boxes & slots',
    rows: [
      { id: 'BOX-01', level: 'screen', text: 'A box has <100> slots.' },
      { id: 'BOX-02', level: 'call', text: 'A full box says so.' },
      { id: 'BOX-03', level: 'rule', text: 'Nobody has looked at this.' },
      { id: 'BOX-04', level: 'call', text: 'Repeats the first.', sameAs: 'BOX-01' },
    ],
    gaps: [],
  },
]
const at = Date.UTC(2026, 0, 2, 3, 4)
const tests: TitledTest[] = [
  { title: 'BOX-01 BOX-02 slots', passed: true, level: 'call', at },
  { title: 'BOX-02 fullness', passed: false, level: 'screen', at },
]
const facts = { version: '1.2.3', commit: 'abc1234', finishedAt: '2026-01-02 03:05', system: [] }

describe('the validation pack', () => {
  const proven = proveAreas(areas, tests)

  it('passes a row only when every test that names it passed; a repeat counts with its original', () => {
    expect(proven[0]?.rows.map(({ verdict }) => verdict)).toEqual(['passed', 'failed', 'not tested', 'passed'])
    expect(countVerdicts(proven)).toEqual({ passed: 2, failed: 1, 'not tested': 1 })
  })

  it('tells apart what is proven at its level, below it and not at all', () => {
    expect(proven[0]?.rows.map(({ proof }) => proof)).toEqual(['below', 'proven', 'not proven', 'proven'])
    expect(countProofs(proven)).toEqual({ proven: 2, below: 1, 'not proven': 1, 'cannot be shown': 0 })
    const html = renderPack(proven, [], facts)
    expect(html).toContain('2 are proven at their level or above, 1 below it only, 1 not at all')
    expect(html).toContain('A box has &lt;100&gt; slots.</td><td>screen, proven below</td>')
  })

  it('shows requirement, test, result, date and version, and nothing of it as markup', () => {
    const html = renderPack(proven, [{ title: 'BOX-02 fullness', passed: false, level: 'screen' }], facts)
    for (const part of ['version 1.2.3', 'abc1234', 'A box has &lt;100&gt; slots.', 'Boxes &amp; slots'])
      expect(html).toContain(part)
    const looked = '<a href="#T1">T1</a>–T2</td><td class="failed">failed</td>'
    expect(html).toContain(
      `A full box says so.</td><td>call</td><td class="tests">${looked}<td class="id">2026-01-02 03:04</td>`,
    )
    expect(html).toContain('<tr id="T2"><td class="id">T2</td><td>BOX-02 fullness</td><td class="failed">failed</td>')
    expect(html).toContain('<b>2 of 4 requirements passed</b>, 1 failed, 1 not tested. 1 tests failed.')
  })
})
