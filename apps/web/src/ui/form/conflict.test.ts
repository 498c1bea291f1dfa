import { describe, expect, it } from 'vitest'
import { differencesOf, merge } from './conflict.ts'
import type { FieldDef, Values } from './field-types.ts'

const fields: FieldDef[] = ['first', 'last', 'mail', 'note'].map((name) => ({ name, label: name, kind: 'text' }))
const base = { first: 'Ada', last: 'Okonjo', mail: 'a@x', note: '', depts: [1, 2] }

describe('two versions of one record', () => {
  const mine = { ...base, first: 'Mine', mail: 'mine@x' }
  const theirs = { ...base, first: 'Theirs', last: 'Other', note: null, depts: [2, 1] }
  const differences = differencesOf(
    [...fields, { name: 'depts', label: 'depts', kind: 'checkbox' }],
    base,
    mine,
    theirs,
  )

  it('TABLE-G18 differ only in what a user would see', () => {
    expect(differences.map(({ field }) => field.name)).toEqual(['first', 'last', 'mail'])
  })

  it('start from the side that changed a field, and mark the fields that both changed', () => {
    expect(differences.map(({ side, isContested }) => [side, isContested])).toEqual([
      ['mine', true],
      ['theirs', false],
      ['mine', false],
    ])
  })

  it('treat a composite value as a whole: no date that nobody typed', () => {
    const composite = { label: 'Birth', show: ({ month, day }: Values) => (month ? `${month}/${day}` : '') }
    const parts: FieldDef[] = ['month', 'day'].map((name) => ({ name, label: name, kind: 'number', composite }))
    const was = { month: '03', day: '04' }
    const own = { month: '03', day: '05' }
    const found = differencesOf(parts, was, own, { month: '04', day: '04' })
    expect(
      found.map(({ field, mine: one, theirs: other, isContested }) => [field.label, one, other, isContested]),
    ).toEqual([['Birth', '03/05', '04/04', true]])
    expect(merge(own, found, {})).toEqual(own)
    expect(merge(own, found, { month: 'theirs' })).toEqual({ month: '04', day: '04' })
    expect(merge(own, differencesOf(parts, was, was, { month: '04', day: '04' }), {})).toEqual({
      month: '04',
      day: '04',
    })
  })

  it('differ by order only where order matters', () => {
    const reps: FieldDef = { name: 'reps', label: 'reps', kind: 'lookupMultiSelect', isOrdered: true }
    const found = differencesOf([reps], { reps: [1, 2] }, { reps: [1, 2] }, { reps: [2, 1] })
    expect(found.map(({ side, isContested }) => [side, isContested])).toEqual([['theirs', false]])
    expect(merge({ reps: [1, 2] }, found, {})).toEqual({ reps: [2, 1] })
  })

  it('are merged as chosen', () => {
    expect(merge(mine, differences, {})).toMatchObject({ first: 'Mine', last: 'Other', mail: 'mine@x' })
    expect(merge(mine, differences, { first: 'theirs', last: 'mine' })).toMatchObject({
      first: 'Theirs',
      last: 'Okonjo',
    })
  })
})
