import type { BoxSlot, ScannedSample } from '@lis/contract/spec-locations.ts'
import { describe, expect, it } from 'vitest'
import { freeFrom, planOf } from './box-plan.ts'

const slots: BoxSlot[] = [1, 2, 3, 4, 5].map((trackerId) => ({
  trackerId,
  rowLetter: 'A',
  slot: trackerId,
  reqId: trackerId === 2 ? 900 : null,
}))
const whose = (reqId: number, reason: string | null = null): ScannedSample => ({
  reqId,
  patientName: 'Doe, Jane',
  patientDob: '1970-01-02',
  placedCount: 0,
  reason,
})
const scans = (...reqIds: number[]) => reqIds.map((reqId, index) => ({ key: index + 1, reqId }))
const known = (...all: ScannedSample[]) => new Map(all.map((one) => [one.reqId, one]))

describe('the plan of a box', () => {
  it('takes the free slots in their order, from the chosen one on', () => {
    const names = (startAt: number | null) =>
      planOf(scans(7, 8), freeFrom(slots, startAt), known()).map(({ slotName }) => slotName)
    expect(names(null)).toEqual(['A1', 'A3'])
    expect(names(4)).toEqual(['A4', 'A5'])
    expect(names(99)).toEqual(['A1', 'A3'])
  })

  it('says what stands in the way: a reason of the server, or no slot left', () => {
    const plan = planOf(scans(7, 8, 7), freeFrom(slots, 4), known(whose(7), whose(8, 'Requisition #8 not found')))
    expect(plan.map(({ no, aliquot, slotName, problem }) => [no, aliquot, slotName, problem])).toEqual([
      [1, 1, 'A4', null],
      [2, 1, 'A5', 'Requisition #8 not found'],
      [3, 2, undefined, 'There is no free slot left for it in this box'],
    ])
  })
})
