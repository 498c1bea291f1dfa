import { useEffect, useRef } from 'react'

interface Waiting {
  /** The ids on the screen, in their order. */
  ids: readonly number[]
  /** All that wait, also those that a filter hides. */
  isWaiting: (id: number) => boolean
  /** What this user has decided. */
  isOwn: (id: number) => boolean
}

interface Current {
  /** -1 for none. */
  at: number
  /** The result that was current, and about which somebody else has decided. */
  takenId: number | null
}

interface Shown {
  id: number | null
  at: number
}

/**
 * The current result: the one asked for; after an own decision the one that takes its place; and none after somebody else has decided about
 * it, so that a key pressed a moment later does not decide about the next one unseen.
 */
export const findCurrent = (asked: number | null, shown: Shown, { ids, isWaiting, isOwn }: Waiting): Current => {
  const isTaken = (id: number) => !isWaiting(id) && !isOwn(id)
  for (const id of [asked, shown.id]) {
    if (id === null) continue
    if (ids.includes(id)) return { at: ids.indexOf(id), takenId: null }
    if (isTaken(id)) return { at: -1, takenId: id }
  }
  return { at: Math.min(shown.at, ids.length - 1), takenId: null }
}

/** `step` gives the id beside the current one; beside one that was taken, the ones that were beside it. */
export const useCurrent = (asked: number | null, waiting: Waiting) => {
  const shown = useRef<Shown>({ id: null, at: 0 })
  const { ids } = waiting
  const current = findCurrent(asked, shown.current, waiting)
  const { at } = current
  useEffect(() => {
    if (at >= 0) shown.current = { id: ids[at] ?? null, at }
  })
  const step = (by: 1 | -1): number | undefined => {
    if (at >= 0) return ids[at + by]
    const next = by === 1 ? shown.current.at : shown.current.at - 1
    return ids[Math.min(next, ids.length - 1)]
  }
  return { id: ids[at], takenId: current.takenId, step }
}
