import { describe, expect, it } from 'vitest'
import { decimalOf } from './decimal.ts'
import { bandOf, bandsFor, isSameUnit, rulesOf, type TestDefinition } from './rules.ts'

const test = {
  testCode: 'X',
  units: 'mg/dL',
  significantDigits: 1,
  options: null,
  interpretationLabels: null,
  plausibility: null,
} as unknown as TestDefinition

describe('bands without a known sex', () => {
  const male = { mNormalHi: '5', mUnfavLo: '5.1', mUnfavHi: '99' }

  it('are those of both sexes where they are the same, open ends included', () => {
    const rules = rulesOf(test, { ...male, fNormalHi: '5.0', fUnfavLo: '5.1', fUnfavHi: '99' })
    expect(bandsFor(rules, null)).toEqual(rules.bands.MALE)
    expect(bandOf(rules, null, decimalOf('6'))).toBe('unfavorable')
  })

  it.each([
    ['another limit', { fNormalHi: '5', fUnfavLo: '5.2', fUnfavHi: '99' }],
    ['a limit where the other sex has none', { fNormalLo: '1', fNormalHi: '5', fUnfavLo: '5.1', fUnfavHi: '99' }],
    ['no limit where the other sex has one', { fNormalHi: '5', fUnfavLo: '5.1' }],
    ['another band', { fNormalHi: '5', fBorderLo: '5.1', fBorderHi: '99' }],
    ['fewer bands', { fNormalHi: '5' }],
  ])('are none where one sex has %s', (_, female) => {
    const rules = rulesOf(test, { ...male, ...female })
    expect(bandsFor(rules, null)).toEqual([])
    expect(bandsFor(rules, 'MALE')).toEqual(rules.bands.MALE)
  })
})

it('a single band of a collaborator replaces the bands of the catalogue for that sex only', () => {
  const catalogue = { ...test, mNormalHi: '5', mUnfavLo: '5.1', fNormalHi: '4', fUnfavLo: '4.1' } as TestDefinition
  const { MALE, FEMALE } = rulesOf(catalogue, { mNormalHi: '7' }).bands
  expect(MALE).toEqual([{ name: 'normal', lo: null, hi: decimalOf('7') }])
  expect(FEMALE.map(({ name }) => name)).toEqual(['normal', 'unfavorable'])
})

it('a unit is the same in two spellings, and another with another letter', () => {
  expect(isSameUnit('mg/dL', 'MG / dl')).toBe(true)
  expect(isSameUnit('µmol/L', 'umol/L')).toBe(true)
  expect(isSameUnit('mg/dL', 'g/dL')).toBe(false)
})
