import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calledValue, findLimit, isCritical, isSameValue, type Limit } from './critical.ts'

const limit = (over: Partial<Limit>): Limit => ({
  id: 1,
  testId: 1,
  sexCode: null,
  ageFrom: null,
  ageTo: null,
  collaboratorId: null,
  lo: '2.5',
  hi: '6.2',
  callMinutes: 30,
  ...over,
})

describe('BENCH-40 a value', () => {
  it.each([
    ['6.2', false],
    ['6.20', false],
    ['6.21', true],
    ['2.5', false],
    ['2.49', true],
    ['-1', true],
    ['>6.2', true],
    ['>5', false],
    ['<2.5', true],
    ['<3', false],
    ['Hemolyzed', false],
  ])('of %s is critical: %s', (value, expected) => {
    expect(isCritical(value, limit({}))).toBe(expected)
  })
  it('is compared as it is rounded', () => {
    expect(calledValue('6.249', 1)).toBe('6.2')
    expect(calledValue('6.25', 1)).toBe('6.3')
  })
})

describe('BENCH-40 the limit', () => {
  it('takes each side from the newest of equally specific ones that has it, and nothing from a more general one', () => {
    const limits = [
      limit({ id: 1, lo: '3', hi: null }),
      limit({ id: 2, lo: null, hi: '6' }),
      limit({ id: 3, lo: null, hi: '7', callMinutes: 10 }),
      limit({ id: 4, sexCode: 'FEMALE', lo: null, hi: '5' }),
    ]
    const of = (sex: string) => findLimit(limits, { testId: 1, sex, age: 40, collaboratorId: 7 })
    expect(of('MALE')).toMatchObject({ lo: '3', hi: '7', callMinutes: 10 })
    expect(of('FEMALE')).toMatchObject({ lo: null, hi: '5' })
  })
  const limits = [
    limit({ id: 1 }),
    limit({ id: 2, ageFrom: 0, ageTo: 1 }),
    limit({ id: 3, sexCode: 'FEMALE' }),
    limit({ id: 4, collaboratorId: 7 }),
    limit({ id: 5, testId: 2 }),
  ]
  it.each([
    ['of everybody', { sex: 'MALE', age: 40, collaboratorId: 1 }, 1],
    ['of an age, both ends included', { sex: 'MALE', age: 1, collaboratorId: 1 }, 2],
    ['of a sex before that of an age', { sex: 'FEMALE', age: 1, collaboratorId: 1 }, 3],
    ['of a collaborator before all others', { sex: 'FEMALE', age: 1, collaboratorId: 7 }, 4],
    ['of everybody where the age is unknown', { sex: null, age: null, collaboratorId: 1 }, 1],
  ])('%s', (_, subject, id) => {
    expect(findLimit(limits, { testId: 1, ...subject })?.id).toBe(id)
  })
})

describe('BENCH-42 a read-back', () => {
  it.each([
    ['6.9', '6.90', true],
    ['6.9', ' 6.9 ', true],
    ['6.9', '9.6', false],
    ['6.9', '69', false],
    ['>500', '> 500', true],
    ['>500', '500', false],
  ])('%s and %s are the same: %s', (value, readBack, expected) => {
    expect(isSameValue(readBack, value)).toBe(expected)
  })
  it('of a number is the same with any zeros at its end', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: 0, max: 5 }), (n, zeros) => {
        expect(isSameValue(`${(n / 100).toFixed(2)}${'0'.repeat(zeros)}`, (n / 100).toFixed(2))).toBe(true)
      }),
    )
  })
})
