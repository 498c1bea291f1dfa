import type { BoxSlot, ScannedSample } from '@lis/contract/spec-locations.ts'
import { describe, expect, it } from 'vitest'
import { assignSlots, planOf, removeSample, type Scanned } from './box-plan.ts'

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
const scans = (...reqIds: number[]): Scanned[] =>
  reqIds.map((reqId, index) => ({ key: index + 1, reqId, trackerId: null }))
const taken = (trackerId: number, reqId: number | null) =>
  slots.map((slot) => (slot.trackerId === trackerId ? { ...slot, reqId } : slot))
const slotsOf = (scanned: readonly Scanned[]) => scanned.map(({ trackerId }) => trackerId)
const known = (...all: ScannedSample[]) => new Map(all.map((one) => [one.reqId, one]))

describe('a box plan', () => {
  it('takes the free slots in order, starting from the chosen one', () => {
    const given = (startAt: number | null) => slotsOf(assignSlots(scans(7, 8), slots, startAt))
    expect(given(null)).toEqual([1, 3])
    expect(given(4)).toEqual([4, 5])
    expect(given(99)).toEqual([1, 3])
  })

  it('keeps a slot that was shown: whatever others free or take, the tube goes where the screen said', () => {
    const first = assignSlots(scans(7, 8), slots, 3)
    expect(slotsOf(first)).toEqual([3, 4])
    expect(assignSlots(first, taken(2, null), 3)).toBe(first)
    const third: Scanned = { key: 3, reqId: 9, trackerId: null }
    expect(slotsOf(assignSlots([...first, third], taken(2, null), null))).toEqual([3, 4, 5])
    const other = taken(3, 901)
    expect(assignSlots(first, other, 3)).toBe(first)
    expect(planOf(first, other, known(whose(7), whose(8))).map(({ problem }) => problem)).toEqual([
      'Slot A3 has just been taken by someone else',
      null,
    ])
    // By our own call, whose answer was lost.
    const own = taken(3, 7)
    expect(planOf(first, own, known(whose(7), whose(8))).map(({ problem }) => problem)).toEqual([
      'Slot A3 has a sample of #7 by now: remove it here if it is this one',
      null,
    ])
    expect(slotsOf(removeSample(first, 1, own))).toEqual([4])
  })

  it('closes the gap of a removed sample, and changes nothing before it', () => {
    const all = assignSlots(scans(7, 8, 9), slots, 3)
    expect(slotsOf(assignSlots(removeSample(all, 2), taken(2, null), 3))).toEqual([3, 4])
    expect(slotsOf(removeSample(all, 3))).toEqual([3, 4])
    expect(removeSample(all, 99)).toBe(all)
  })

  it('reports problems: a reason from the server, or no slot left', () => {
    const plan = planOf(
      assignSlots(scans(7, 8, 7), slots, 4),
      slots,
      known(whose(7), whose(8, 'Requisition #8 not found')),
    )
    expect(plan.map(({ no, aliquot, slotName, problem }) => [no, aliquot, slotName, problem])).toEqual([
      [1, 1, 'A4', null],
      [2, 1, 'A5', 'Requisition #8 not found'],
      [3, 2, undefined, 'There is no free slot left for it in this box'],
    ])
  })

  it('reports no slot problems before the box is loaded', () => {
    expect(planOf(scans(7), undefined, known(whose(7))).map(({ problem }) => problem)).toEqual([null])
  })
})
