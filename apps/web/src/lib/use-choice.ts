import { useRef, useState } from 'react'

/** Stores a choice against the version that was read, and answers with the new one. */
type SaveChoice<Value> = (value: Value, version: number) => Promise<{ data: { version: number } }>

/**
 * A choice that is saved as soon as it is made, by a `save` that is `isAtOnce`. `saving` is what is on its way, and what its field shows
 * meanwhile. A second choice waits for the first, and goes out with the version that the first one brought.
 */
export const useChoice = <Value>(version: number, save: SaveChoice<Value>) => {
  const [saving, setSaving] = useState<Value | null>(null)
  const known = useRef(version)
  known.current = Math.max(known.current, version)
  const line = useRef<Promise<void>>(Promise.resolve())
  const saveInTurn = async (value: Value) => {
    try {
      known.current = (await save(value, known.current)).data.version
    } catch {
      // The notice says why, and the field falls back to what is stored.
    }
  }
  const choose = async (value: Value) => {
    setSaving(() => value)
    const turn = line.current.then(() => saveInTurn(value))
    line.current = turn
    await turn
    if (line.current === turn) setSaving(null)
  }
  return { saving, choose }
}
