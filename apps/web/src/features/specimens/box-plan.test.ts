import type { BoxSlot, ScannedSample } from '@lis/contract/spec-locations.ts'
import { describe, expect, it } from 'vitest'
import { planOf, type Scanned, without, withSlots } from './box-plan.ts'

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

describe('the plan of a box', () => {
  it('takes the free slots in their order, from the chosen one on', () => {
    const given = (startAt: number | null) => slotsOf(withSlots(scans(7, 8), slots, startAt))
    expect(given(null)).toEqual([1, 3])
    expect(given(4)).toEqual([4, 5])
    expect(given(99)).toEqual([1, 3])
  })

  it('keeps a slot that was shown: whatever others free or take, the tube lies where the screen said', () => {
    const first = withSlots(scans(7, 8), slots, 3)
    expect(slotsOf(first)).toEqual([3, 4])
    expect(withSlots(first, taken(2, null), 3)).toBe(first)
    const third: Scanned = { key: 3, reqId: 9, trackerId: null }
    expect(slotsOf(withSlots([...first, third], taken(2, null), null))).toEqual([3, 4, 5])
    const other = taken(3, 901)
    expect(withSlots(first, other, 3)).toBe(first)
    expect(planOf(first, other, known(whose(7), whose(8))).map(({ problem }) => problem)).toEqual([
      'Slot A3 has just been taken by someone else',
      null,
    ])
    // By a call of one's own whose answer was lost.
    const own = taken(3, 7)
    expect(planOf(first, own, known(whose(7), whose(8))).map(({ problem }) => problem)).toEqual([
      'Slot A3 has a sample of #7 by now: remove it here if it is this one',
      null,
    ])
    expect(slotsOf(without(first, 1, own))).toEqual([4])
  })

  it('closes the gap that a person makes, and nothing before it', () => {
    const all = withSlots(scans(7, 8, 9), slots, 3)
    expect(slotsOf(withSlots(without(all, 2), taken(2, null), 3))).toEqual([3, 4])
    expect(slotsOf(without(all, 3))).toEqual([3, 4])
    expect(without(all, 99)).toBe(all)
  })

  it('says what stands in the way: a reason of the server, or no slot left', () => {
    const plan = planOf(
      withSlots(scans(7, 8, 7), slots, 4),
      slots,
      known(whose(7), whose(8, 'Requisition #8 not found')),
    )
    expect(plan.map(({ no, aliquot, slotName, problem }) => [no, aliquot, slotName, problem])).toEqual([
      [1, 1, 'A4', null],
      [2, 1, 'A5', 'Requisition #8 not found'],
      [3, 2, undefined, 'There is no free slot left for it in this box'],
    ])
  })

  it('says nothing of slots before the box is read', () => {
    expect(planOf(scans(7), undefined, known(whose(7))).map(({ problem }) => problem)).toEqual([null])
  })
})
