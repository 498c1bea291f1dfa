import { type BoxAddress, type BoxSlot, freezerRoutes } from '@lis/contract/spec-locations.ts'
import { readScan } from '@lis/contract/specimens.ts'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { read } from '../../lib/query.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { freeFrom, planOf, type Scanned } from './box-plan.ts'
import { keepScans, keptScans } from './kept-scans.ts'
import { useWay } from './use-way.ts'

const refreshMs = 15_000
const noAddress: BoxAddress = { labId: 1, freezer: '-', shelf: '-', rack: '-', box: '-' }

/** What was scanned so far, and the slots it would get: the free ones of the box, row by row, from the chosen one on. */
export const useFilling = (labId: number) => {
  const client = useQueryClient()
  const way = useWay(labId)
  const [scanned, setScanned] = useState<readonly Scanned[]>(() =>
    keptScans(labId).map((reqId, index) => ({ key: index + 1, reqId })),
  )
  const [startAt, setStartAt] = useState<number | null>(null)
  useUnsaved(useId(), scanned.length > 0, 'What you scanned is not placed. It stays here until you come back.')
  useEffect(
    () =>
      keepScans(
        labId,
        scanned.map(({ reqId }) => reqId),
      ),
    [labId, scanned],
  )
  const box = useQuery({
    ...read(freezerRoutes.box, { params: way.address ?? noAddress }),
    enabled: way.address !== undefined,
    staleTime: 0,
    refetchInterval: refreshMs,
  })
  const ids = [...new Set(scanned.map(({ reqId }) => reqId))]
  const whose = useQuery({
    ...read(freezerRoutes.samples, { params: { labId }, query: { id: ids.join(',') } }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  const picture = way.address ? box.data?.data : undefined
  const known = new Map(ids.length > 0 ? whose.data?.data.map((one) => [one.reqId, one]) : [])
  return {
    steps: way.steps,
    address: way.address,
    box: picture,
    error: way.error ?? box.error ?? whose.error,
    samples: planOf(scanned, freeFrom(picture?.slots ?? [], startAt), known),
    choose: (...step: Parameters<typeof way.choose>) => {
      setStartAt(null)
      way.choose(...step)
    },
    startAt: (slot: BoxSlot) => setStartAt((before) => (before === slot.trackerId ? null : slot.trackerId)),
    /** Adds what a scanner typed or a person pasted; gives back what is no number of ours. */
    add: (text: string): string[] => {
      const parts = text.split(/[\s,;]+/).filter(Boolean)
      const codes = parts.map(readScan)
      setScanned((before) => [
        ...before,
        ...codes.flatMap((code, index) =>
          code ? [{ key: (before.at(-1)?.key ?? 0) + index + 1, reqId: code.reqId }] : [],
        ),
      ])
      return parts.filter((_, index) => codes[index] === null)
    },
    remove: (...keys: number[]) => setScanned((before) => before.filter(({ key }) => !keys.includes(key))),
    clear: () => setScanned([]),
    refresh: () =>
      void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('labs/') }),
  }
}
