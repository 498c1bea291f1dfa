import { describe, expect, it } from 'vitest'
import { applyMutant, mutantsIn, shuffle } from './mutants.ts'

const changed = (source: string) => mutantsIn(source).map((mutant) => applyMutant(source, mutant))

describe('mutants of a source', () => {
  it('flips comparisons, arithmetic and booleans, and moves numbers by one', () => {
    expect(changed('const a = b < 2')).toEqual(['const a = b <= 2', 'const a = b < 3'])
    expect(changed('const a = b - 1n')).toEqual(['const a = b + 1n', 'const a = b - 2n'])
    expect(changed('const a = true')).toEqual(['const a = false'])
  })

  it('swaps logical operators, drops each of their clauses and negates conditions', () => {
    expect(changed('const a = b && c')).toEqual(['const a = b', 'const a = c', 'const a = b || c'])
    expect(changed('if (a) b()')).toEqual(['if (!(a)) b()'])
    expect(changed('const a = b ? c : d')).toEqual(['const a = !(b) ? c : d'])
  })

  it('drops each constant of a list', () => {
    expect(changed("const a = [...b, 'C']")).toEqual(["const a = ['C']", 'const a = [...b]'])
  })

  it('changes the conditions of an SQL template, but no other text', () => {
    expect(changed('const a = sql`select 1 where a = b and c is null`')).toEqual([
      'const a = sql`select 1 where a <> b and c is null`',
      'const a = sql`select 1 where a = b or c is null`',
      'const a = sql`select 1 where a = b and c is not null`',
    ])
    expect(changed('const a = `this and that`')).toEqual([])
  })

  it('leaves types, imports, joined texts and the conditions of loops alone', () => {
    const source = "import { a } from './a.ts'\ntype B = 1 | true\nfor (let i; i < a; ) b('x' + i)\nwhile (a < b) c()"
    expect(changed(source)).toEqual([])
  })

  it('names the line', () => {
    expect(mutantsIn('const a = 1\nconst b = 2').map(({ line }) => line)).toEqual([1, 2])
  })
})

it('the seed decides the order', () => {
  const items = Array.from({ length: 20 }, (_, index) => index)
  expect(shuffle(items, 7)).toEqual(shuffle(items, 7))
  expect(shuffle(items, 7)).not.toEqual(shuffle(items, 8))
  expect(shuffle(items, 7).sort((one, other) => one - other)).toEqual(items)
})
