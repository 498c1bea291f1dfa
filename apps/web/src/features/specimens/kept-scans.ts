import { sessionStore } from '../../lib/session.ts'

const nameOf = (labId: number) => `fill-box.${sessionStore.get()?.access.userId ?? 0}.${labId}`

/** What was scanned for a box outlives a look at another page: nobody wants to scan a hundred tubes again. */
export const keptScans = (labId: number): number[] => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(labId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((id) => Number.isSafeInteger(id)) : []
  } catch {
    return []
  }
}

export const keepScans = (labId: number, reqIds: readonly number[]) => {
  if (reqIds.length === 0) sessionStorage.removeItem(nameOf(labId))
  else sessionStorage.setItem(nameOf(labId), JSON.stringify(reqIds))
}
