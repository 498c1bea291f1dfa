import { z } from 'zod'
import { sessionStore } from '../../lib/session.ts'

const nameOf = (labId: number) => `fill-box.${sessionStore.get()?.access.userId ?? 0}.${labId}`

const kept = z.object({
  /** The box that the slots are of. */
  way: z.object({ freezer: z.string(), shelf: z.string(), rack: z.string(), box: z.string() }).partial(),
  startAt: z.number().nullable(),
  scanned: z.array(z.object({ reqId: z.int(), trackerId: z.int().nullable() })).readonly(),
})
type Kept = z.infer<typeof kept>

/** What was scanned for a box outlives a look at another page: nobody wants to scan a hundred tubes again, or lay them into other slots. */
export const keptScans = (labId: number): Kept => {
  const nothing: Kept = { way: {}, startAt: null, scanned: [] }
  try {
    return kept.catch(nothing).parse(JSON.parse(sessionStorage.getItem(nameOf(labId)) ?? 'null'))
  } catch {
    return nothing
  }
}

export const keepScans = (labId: number, scans: Kept) => {
  if (scans.scanned.length === 0) sessionStorage.removeItem(nameOf(labId))
  else sessionStorage.setItem(nameOf(labId), JSON.stringify(scans))
}
