import { type BoxSlot, locationMessages, type ScannedSample, slotName } from '@lis/contract/spec-locations.ts'

/** One sample that was scanned, and where it is to lie. */
export interface PlannedSample {
  /** Its place in the list, from 1; the same tube may be scanned twice. */
  no: number
  key: number
  reqId: number
  slot: BoxSlot | undefined
  slotName: string | undefined
  /** Which of the samples of this requisition in the list. */
  aliquot: number
  whose: ScannedSample | undefined
  /** Why it cannot be placed. */
  problem: string | null
}

export interface Scanned {
  key: number
  reqId: number
  /** The slot that the screen has named for it; null while there is none. */
  trackerId: number | null
}

/** The free slots in the order of the box, behind the last one that was given out, or else from the chosen one on. */
const nextFree = (scanned: readonly Scanned[], slots: readonly BoxSlot[], startAt: number | null) => {
  const given = new Set(scanned.map(({ trackerId }) => trackerId))
  const last = slots.findLastIndex(({ trackerId }) => given.has(trackerId))
  const from = last < 0 ? slots.findIndex(({ trackerId }) => trackerId === startAt) : last + 1
  return slots.slice(Math.max(0, from)).filter(({ reqId }) => reqId === null)
}

/**
 * Gives what has no slot yet the next free ones. What has one keeps it, whatever others free or take meanwhile: the tube may lie there
 * already. The same list where nothing is to be given.
 */
export const withSlots = (
  scanned: readonly Scanned[],
  slots: readonly BoxSlot[],
  startAt: number | null,
): readonly Scanned[] => {
  const free = nextFree(scanned, slots, startAt)
  if (free.length === 0 || scanned.every(({ trackerId }) => trackerId !== null)) return scanned
  return scanned.map((one) => (one.trackerId === null ? { ...one, trackerId: free.shift()?.trackerId ?? null } : one))
}

/** Whoever takes one out, closes the gap: those behind it are to move up, unless its slot is taken and there is no gap. */
export const without = (
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

/** Without `slots` the box has not been read yet. */
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
    const whose = known.get(reqId)
    const problem = whose?.reason ?? (slots ? slotProblem(slot, reqId) : null)
    return { no: index + 1, key, reqId, slot, slotName: slot && slotName(slot), aliquot, whose, problem }
  })
}

const slotProblem = (slot: BoxSlot | undefined, reqId: number) => {
  if (!slot) return locationMessages.boxFull
  if (slot.reqId === reqId) return locationMessages.takenByOwn(slotName(slot), reqId)
  return slot.reqId === null ? null : locationMessages.taken([slotName(slot)])
}
