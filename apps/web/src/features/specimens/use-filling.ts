import { type BoxSlot, freezerRoutes } from '@lis/contract/spec-locations.ts'
import { readScan } from '@lis/contract/specimens.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { read } from '../../lib/query.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { type PlannedSample, planOf, type Scanned, without, withSlots } from './box-plan.ts'
import { keepScans, keptScans } from './kept-scans.ts'
import { useBox } from './use-box.ts'
import { useWay, type Way } from './use-way.ts'

const nowhere: Way = {}

/**
 * What was scanned so far, and the slots it is to lie in: the free ones of the box, row by row, from the chosen one on. A slot that was
 * shown is kept until a person chooses otherwise.
 */
export const useFilling = (labId: number) => {
  const [kept] = useState(() => keptScans(labId))
  // From the first slot that is shown on it is this box, even if another one comes to be the first with room.
  const [pinned, setPinned] = useState(kept.way)
  const way = useWay(labId, pinned)
  const [scanned, setScanned] = useState<readonly Scanned[]>(() =>
    kept.scanned.map((one, index) => ({ key: index + 1, ...one })),
  )
  const [startAt, setStartAt] = useState(kept.startAt)
  useUnsaved(useId(), scanned.length > 0, 'What you scanned is not placed. It stays here until you come back.')
  const { box, error, change, refresh } = useBox(way.address)
  const ids = [...new Set(scanned.map(({ reqId }) => reqId))]
  const whose = useQuery({
    ...read(freezerRoutes.samples, { params: { labId }, query: { id: ids.join(',') } }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  const planned = box ? withSlots(scanned, box.slots, startAt) : scanned
  if (planned !== scanned) {
    setScanned(planned)
    if (way.address) setPinned(way.address)
  }
  if (scanned.length === 0 && pinned !== nowhere) setPinned(nowhere)
  useEffect(() => keepScans(labId, { way: pinned, startAt, scanned }), [labId, pinned, startAt, scanned])
  const planAnew = (from: number | null) => {
    setStartAt(from)
    setPinned(nowhere)
    setScanned((before) => before.map((one) => ({ ...one, trackerId: null })))
  }
  const known = new Map(ids.length > 0 ? whose.data?.data.map((one) => [one.reqId, one]) : [])
  return {
    steps: way.steps,
    address: way.address,
    box,
    error: way.error ?? error ?? whose.error,
    samples: planOf(planned, box?.slots, known),
    choose: (...step: Parameters<typeof way.choose>) => {
      planAnew(null)
      way.choose(...step)
    },
    startAt: (slot: BoxSlot) => {
      planAnew(startAt === slot.trackerId ? null : slot.trackerId)
      if (way.address) way.goTo(way.address)
    },
    /** Adds what a scanner typed or a person pasted; gives back what is no number of ours. */
    add: (text: string): string[] => {
      const parts = text.split(/[\s,;]+/).filter(Boolean)
      const codes = parts.map(readScan)
      setScanned((before) => [
        ...before,
        ...codes.flatMap((code, index) =>
          code ? [{ key: (before.at(-1)?.key ?? 0) + index + 1, reqId: code.reqId, trackerId: null }] : [],
        ),
      ])
      return parts.filter((_, index) => codes[index] === null)
    },
    remove: (key: number) => setScanned((before) => without(before, key, box?.slots)),
    /** They lie there now; what was scanned meanwhile keeps its slots. */
    placed: (samples: readonly PlannedSample[]) => {
      const reqIdOf = new Map(samples.map(({ slot, reqId }) => [slot?.trackerId, reqId]))
      // Until the box is read again: what is scanned next must not be given these slots.
      change((before) => ({
        ...before,
        slots: before.slots.map((slot) => ({ ...slot, reqId: reqIdOf.get(slot.trackerId) ?? slot.reqId })),
      }))
      const keys = new Set(samples.map(({ key }) => key))
      setScanned((before) => before.filter(({ key }) => !keys.has(key)))
    },
    clear: () => setScanned([]),
    refresh,
  }
}
