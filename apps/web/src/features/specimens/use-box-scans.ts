import type { BoxSlot } from '@lis/contract/spec-locations.ts'
import { parseSampleCode } from '@lis/contract/specimens.ts'
import { useState } from 'react'

export interface BoxScan {
  key: number
  code: string
  /** The slot it was scanned in, if the user says so. */
  trackerId: number | null
}

/** Codes scanned from a box: with a slot, and then the next one in the next slot, if a slot is chosen first. */
export const useBoxScans = (slots: readonly BoxSlot[]) => {
  const [scans, setScans] = useState<readonly BoxScan[]>([])
  const [nextSlot, setNextSlot] = useState<number | null>(null)
  const after = (trackerId: number | null) =>
    slots[slots.findIndex((slot) => slot.trackerId === trackerId) + 1]?.trackerId ?? null
  return {
    scans,
    nextSlot,
    chooseSlot: (slot: BoxSlot) => setNextSlot(slot.trackerId === nextSlot ? null : slot.trackerId),
    /** Adds scanned or pasted codes; returns the texts that name no sample. */
    add: (text: string): string[] => {
      const codes = text
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map((code) => code.toUpperCase())
      const added: BoxScan[] = []
      let slot = nextSlot
      for (const code of codes) {
        if (!parseSampleCode(code)) continue
        added.push({ key: (scans.at(-1)?.key ?? 0) + added.length + 1, code, trackerId: slot })
        if (slot !== null) slot = after(slot)
      }
      // The last scan of a code or of a slot counts.
      const replaced = (scan: BoxScan) =>
        added.some(({ code, trackerId }) => code === scan.code || (trackerId !== null && trackerId === scan.trackerId))
      setScans([...scans.filter((scan) => !replaced(scan)), ...added])
      setNextSlot(slot)
      return codes.filter((code) => !parseSampleCode(code))
    },
    remove: (key: number) => setScans(scans.filter((scan) => scan.key !== key)),
    clear: () => {
      setScans([])
      setNextSlot(null)
    },
  }
}
