import { z } from 'zod'
import { sessionStore } from '../../lib/session.ts'

const nameOf = (labId: number) => `fill-box.${sessionStore.get()?.access.userId ?? 0}.${labId}`

const savedScans = z.object({
  /** The box of these slots. */
  way: z.object({ freezer: z.string(), shelf: z.string(), rack: z.string(), box: z.string() }).partial(),
  startAt: z.number().nullable(),
  scanned: z.array(z.object({ reqId: z.int(), trackerId: z.int().nullable() })).readonly(),
})
type SavedScans = z.infer<typeof savedScans>

/** Scanned samples survive a visit to another page: nobody wants to scan a hundred tubes again, or move them to other slots. */
export const loadScans = (labId: number): SavedScans => {
  const nothing: SavedScans = { way: {}, startAt: null, scanned: [] }
  try {
    return savedScans.catch(nothing).parse(JSON.parse(sessionStorage.getItem(nameOf(labId)) ?? 'null'))
  } catch {
    return nothing
  }
}

export const saveScans = (labId: number, scans: SavedScans) => {
  if (scans.scanned.length === 0) sessionStorage.removeItem(nameOf(labId))
  else sessionStorage.setItem(nameOf(labId), JSON.stringify(scans))
}
