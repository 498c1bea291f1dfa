import { type BoxSlot, locationMessages, type ScannedSample, slotName } from '@lis/contract/spec-locations.ts'

/** A scanned sample and its planned slot. */
export interface PlannedSample {
  /** Its position in the list, from 1; the same tube may be scanned twice. */
  no: number
  key: number
  reqId: number
  slot: BoxSlot | undefined
  slotName: string | undefined
  /** The number of the sample among those of its requisition in the list. */
  aliquot: number
  whose: ScannedSample | undefined
  /** Why it cannot be placed. */
  problem: string | null
}

export interface Scanned {
  key: number
  reqId: number
  /** The slot that the screen has shown for it; null while there is none. */
  trackerId: number | null
}

/** The free slots in box order, after the last one assigned, or from the chosen one on. */
const nextFree = (scanned: readonly Scanned[], slots: readonly BoxSlot[], startAt: number | null) => {
  const given = new Set(scanned.map(({ trackerId }) => trackerId))
  const last = slots.findLastIndex(({ trackerId }) => given.has(trackerId))
  const from = last < 0 ? slots.findIndex(({ trackerId }) => trackerId === startAt) : last + 1
  return slots.slice(Math.max(0, from)).filter(({ reqId }) => reqId === null)
}

/**
 * Assigns the next free slots to samples without one. A sample keeps its slot, whatever others free or take meanwhile: the tube may already
 * be there. Returns the same list if nothing is assigned.
 */
export const assignSlots = (
  scanned: readonly Scanned[],
  slots: readonly BoxSlot[],
  startAt: number | null,
): readonly Scanned[] => {
  const free = nextFree(scanned, slots, startAt)
  if (free.length === 0 || scanned.every(({ trackerId }) => trackerId !== null)) return scanned
  return scanned.map((one) => (one.trackerId === null ? { ...one, trackerId: free.shift()?.trackerId ?? null } : one))
}

/** Removing a sample closes the gap: those after it move up, unless its slot is taken and there is no gap. */
export const removeSample = (
  scanned: readonly Scanned[],
  removed: number,
  slots: readonly BoxSlot[] = [],
): readonly Scanned[] => {
  const index = scanned.findIndex(({ key }) => key === removed)
  const slot = slots.find(({ trackerId }) => trackerId === scanned[index]?.trackerId)
  if (slot && slot.reqId !== null) return scanned.toSpliced(index, 1)
  if (index < 0) return scanned
  return [...scanned.slice(0, index), ...scanned.slice(index + 1).map((one) => ({ ...one, trackerId: null }))]
}

/** Without `slots` the box has not been loaded yet. */
export const planOf = (
  scanned: readonly Scanned[],
  slots: readonly BoxSlot[] | undefined,
  known: ReadonlyMap<number, ScannedSample>,
): PlannedSample[] => {
  const counts = new Map<number, number>()
  return scanned.map(({ key, reqId, trackerId }, index) => {
    const aliquot = (counts.get(reqId) ?? 0) + 1
    counts.set(reqId, aliquot)
    const slot = slots?.find((one) => one.trackerId === trackerId)
    const sample = known.get(reqId)
    const problem = sample?.reason ?? (slots ? slotProblem(slot, reqId) : null)
    return { no: index + 1, key, reqId, slot, slotName: slot && slotName(slot), aliquot, whose: sample, problem }
  })
}

const slotProblem = (slot: BoxSlot | undefined, reqId: number) => {
  if (!slot) return locationMessages.boxFull
  if (slot.reqId === reqId) return locationMessages.takenByOwn(slotName(slot), reqId)
  return slot.reqId === null ? null : locationMessages.taken([slotName(slot)])
}
