import { type BoxSlot, freezerRoutes } from '@lis/contract/spec-locations.ts'
import { parseScannedCode } from '@lis/contract/specimens.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { read } from '../../lib/query.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { assignSlots, type PlannedSample, planOf, removeSample, type Scanned } from './box-plan.ts'
import { loadScans, saveScans } from './saved-scans.ts'
import { useBox } from './use-box.ts'
import { type BoxPath, useBoxPath } from './use-box-path.ts'

const emptyPath: BoxPath = {}

/**
 * The scanned samples and their planned slots: the free ones of the box, row by row, from the chosen one on. A slot that was shown is kept
 * until the user changes it.
 */
export const useBoxFilling = (labId: number) => {
  const [saved] = useState(() => loadScans(labId))
  // Once slots are shown the box stays, even if another one becomes the first with free slots.
  const [pinned, setPinned] = useState(saved.way)
  const path = useBoxPath(labId, pinned)
  const [scanned, setScanned] = useState<readonly Scanned[]>(() =>
    saved.scanned.map((one, index) => ({ key: index + 1, ...one })),
  )
  const [startAt, setStartAt] = useState(saved.startAt)
  useUnsaved(useId(), scanned.length > 0, 'What you scanned is not placed. It stays here until you come back.')
  const { box, error, change, refresh } = useBox(path.address)
  const ids = [...new Set(scanned.map(({ reqId }) => reqId))]
  const whose = useQuery({
    ...read(freezerRoutes.samples, { params: { labId }, query: { id: ids.join(',') } }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  const planned = box ? assignSlots(scanned, box.slots, startAt) : scanned
  if (planned !== scanned) {
    setScanned(planned)
    if (path.address) setPinned(path.address)
  }
  if (scanned.length === 0 && pinned !== emptyPath) setPinned(emptyPath)
  useEffect(() => saveScans(labId, { way: pinned, startAt, scanned }), [labId, pinned, startAt, scanned])
  const replan = (from: number | null) => {
    setStartAt(from)
    setPinned(emptyPath)
    setScanned((before) => before.map((one) => ({ ...one, trackerId: null })))
  }
  const known = new Map(ids.length > 0 ? whose.data?.data.map((one) => [one.reqId, one]) : [])
  return {
    steps: path.steps,
    address: path.address,
    box,
    error: path.error ?? error ?? whose.error,
    samples: planOf(planned, box?.slots, known),
    choose: (...step: Parameters<typeof path.choose>) => {
      replan(null)
      path.choose(...step)
    },
    startAt: (slot: BoxSlot) => {
      replan(startAt === slot.trackerId ? null : slot.trackerId)
      if (path.address) path.goTo(path.address)
    },
    /** Adds scanned or pasted numbers; returns the texts that are not valid. */
    add: (text: string): string[] => {
      const parts = text.split(/[\s,;]+/).filter(Boolean)
      const codes = parts.map(parseScannedCode)
      setScanned((before) => [
        ...before,
        ...codes.flatMap((code, index) =>
          code ? [{ key: (before.at(-1)?.key ?? 0) + index + 1, reqId: code.reqId, trackerId: null }] : [],
        ),
      ])
      return parts.filter((_, index) => codes[index] === null)
    },
    remove: (key: number) => setScanned((before) => removeSample(before, key, box?.slots)),
    /** These are placed; what was scanned meanwhile keeps its slots. */
    placed: (samples: readonly PlannedSample[]) => {
      const reqIdOf = new Map(samples.map(({ slot, reqId }) => [slot?.trackerId, reqId]))
      // Until the box is read again, these slots must not be assigned.
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
