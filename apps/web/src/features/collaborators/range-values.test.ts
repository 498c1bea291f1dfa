import { rangeInput } from '@lis/contract/collaborator-ranges.ts'
import { describe, expect, it } from 'vitest'
import { type DefaultTest, limitNames, rangeFields, valuesOfTest } from './range-values.ts'

const aTest: DefaultTest = {
  id: 4,
  testId: 4,
  testCode: 'APOB',
  testDesc: 'Apolipoprotein B',
  units: 'mg/dL',
  significantDigits: 1,
  isCalculated: 0,
  reportLo: 10,
  reportHi: 400,
  mNormalLo: null,
  mNormalHi: 90,
  mBorderLo: 90.1,
  mBorderHi: 120,
  mUnfavLo: 120.1,
  mUnfavHi: null,
  fNormalLo: 0,
  fNormalHi: 80,
  fBorderLo: 80.1,
  fBorderHi: 110,
  fUnfavLo: 110.1,
  fUnfavHi: null,
}

describe('the range of a test', () => {
  it('COL-86 COL-87 starts with the digits, units and ranges of the chosen test', () => {
    expect(valuesOfTest(aTest)).toMatchObject({
      colaSigDigits: 1,
      units: 'mg/dL',
      colaReportLo: 10,
      colaReportHi: 400,
      colaMNormalLo: '',
      colaMNormalHi: 90,
      colaMUnfavLo: 120.1,
      colaFNormalLo: 0,
      colaFUnfavHi: '',
    })
  })
  it('can be saved as it was filled in', () => {
    expect(rangeInput.safeParse({ testId: 4, ...valuesOfTest(aTest) }).error).toBeUndefined()
  })
  it('has a field for digits, units and each limit', () => {
    expect(limitNames).toHaveLength(14)
    expect(rangeFields.map(({ name }) => name)).toEqual(['colaSigDigits', 'units', ...limitNames])
  })

  it.each([
    ['COL-58', 'colaReportLo'],
    ['COL-59', 'colaReportHi'],
    ['COL-60', 'colaMNormalLo'],
    ['COL-61', 'colaMNormalHi'],
    ['COL-62', 'colaMBorderLo'],
    ['COL-63', 'colaMBorderHi'],
    ['COL-64', 'colaMUnfavLo'],
    ['COL-65', 'colaMUnfavHi'],
    ['COL-66', 'colaFNormalLo'],
    ['COL-67', 'colaFNormalHi'],
    ['COL-68', 'colaFBorderLo'],
    ['COL-69', 'colaFBorderHi'],
    ['COL-70', 'colaFUnfavLo'],
    ['COL-71', 'colaFUnfavHi'],
  ])('%s has the limit %s', (_, limit) => {
    expect(limitNames).toContain(limit)
  })
})
