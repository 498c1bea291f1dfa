import { useRef, useState } from 'react'

/** Saves a choice against the version that was read, and returns the new version. */
type SaveChoice<Value> = (value: Value, version: number) => Promise<{ data: { version: number } }>

/**
 * A choice that is saved at once, by a `save` with `isImmediate`. `saving` is the value being saved, which the field shows meanwhile. A second
 * choice waits for the first and uses the version it returned.
 */
export const useSavedChoice = <Value>(version: number, save: SaveChoice<Value>) => {
  const [saving, setSaving] = useState<Value | null>(null)
  const known = useRef(version)
  known.current = Math.max(known.current, version)
  const queue = useRef<Promise<void>>(Promise.resolve())
  const enqueueSave = async (value: Value) => {
    try {
      known.current = (await save(value, known.current)).data.version
    } catch {
      // The notice shows the error, and the field shows the stored value again.
    }
  }
  const choose = async (value: Value) => {
    setSaving(() => value)
    const turn = queue.current.then(() => enqueueSave(value))
    queue.current = turn
    await turn
    if (queue.current === turn) setSaving(null)
  }
  return { saving, choose }
}
