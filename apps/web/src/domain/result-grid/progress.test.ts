import { expect, it } from 'vitest'
import { progressOf } from './progress.ts'

const entered: Parameters<typeof progressOf>[0][number] = {
  isResulted: 1,
  isCalculated: 0,
  testFailCodes: [],
  reportableResult: '150',
}
const calculated = { ...entered, isCalculated: 1 } as typeof entered
const notCalculated = { ...calculated, reportableResult: 'Not calculated' } as typeof entered
const open = { ...entered, isResulted: 0, reportableResult: null } as typeof entered

it("counts tests that could not be calculated as 'not calculated', not as resulted", () => {
  const tests = [entered, entered, calculated, notCalculated, notCalculated, open]
  expect(progressOf(tests, { isUnreported: false, unsaved: 0 })).toEqual([
    '3 resulted',
    '0 failed',
    '1 without result',
    '2 not calculated',
    '1 calculated',
  ])
})

it('counts every test of a failed requisition as failed', () => {
  expect(progressOf([entered, notCalculated, open], { isUnreported: true, unsaved: 1 })).toEqual([
    '0 resulted',
    '3 failed',
    '0 without result',
    '1 not saved',
    '0 calculated',
  ])
})
