import { describe, expect, it } from 'vitest'
import { titlesInSource } from './test-titles.ts'

describe('titlesInSource', () => {
  it.each<[string, string, string[]]>([
    [
      'describes before their tests',
      `describe('one', () => {\n  it("two's", () => {})\n  test(\`three \${x} end\`, f)\n})`,
      ["one > two's", 'one > three   end'],
    ],
    ['on the next line', `it(\n  'one',\n  f,\n)`, ['one']],
    ['escaped quotes', `it('don\\'t', f)`, ["don't"]],
    [
      'modifiers',
      `it.only('one', f); test.describe.serial('two', () => { test('in', f) }); it.concurrent('three', f)`,
      ['one', 'two > in', 'three'],
    ],
    ['a row per test', `it.each([['a)', 1], ["b'(", 2]])('one %s', f)`, ['one a)', "one b'("]],
    [
      'rows of objects',
      `const rows = [{ id: 'A' }, { id: 'B' }] as const; it.each(rows)('$id goes', f)`,
      ['A goes', 'B goes'],
    ],
    ['rows that are known only when it runs', `it.each(rows())('one %s', f)`, ['one %s']],
    ['a table as a template', 'it.each`a|b`("two", f)', ['two']],
    ['loops', `for (const [id, of] of [['A', 1], ['B', 2]]) test(\`\${id} goes\`, f)`, ['A goes', 'B goes']],
    ['conditions', `it.skipIf(isCi())('one', f)`, ['one']],
    ['steps', `test('all', async () => { await test.step('first', async () => {}) })`, ['all', 'all » first']],
    ['not run', `it.skip('a', f); it.todo('b'); test.fixme('c', f)\n  // it('d', f)`, []],
    ['not tests', `wait.it('b'); submit('c'); test(name, f); test.use({ a: 'b' }); test.as('STF')`, []],
  ])('reads %s', (_, source, titles) => {
    expect(titlesInSource(source)).toEqual(titles)
  })
})
