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
}

/** The free slots in the order of the box, from the chosen one on. */
export const freeFrom = (slots: readonly BoxSlot[], startAt: number | null) => {
  const from = Math.max(
    0,
    slots.findIndex(({ trackerId }) => trackerId === startAt),
  )
  return slots.slice(from).filter(({ reqId }) => reqId === null)
}

export const planOf = (
  scanned: readonly Scanned[],
  free: readonly BoxSlot[],
  known: ReadonlyMap<number, ScannedSample>,
): PlannedSample[] => {
  const counts = new Map<number, number>()
  return scanned.map(({ key, reqId }, index) => {
    const aliquot = (counts.get(reqId) ?? 0) + 1
    counts.set(reqId, aliquot)
    const slot = free[index]
    const whose = known.get(reqId)
    const problem = whose?.reason ?? (slot ? null : locationMessages.boxFull)
    return { no: index + 1, key, reqId, slot, slotName: slot && slotName(slot), aliquot, whose, problem }
  })
}
