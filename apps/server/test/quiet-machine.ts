import { createHash } from 'node:crypto'

const rows = Array.from({ length: 2000 }, (_, n) => ({ id: n, name: `name ${n}`, list: [n, n + 1, n + 2] }))
const text = JSON.stringify(rows)
/** What servers do all day: read JSON, compare text, write JSON, compute a digest. */
const work = () => {
  const read = (JSON.parse(text) as typeof rows).sort((one, other) => (other.name < one.name ? -1 : 1))
  createHash('sha256').update(JSON.stringify(read)).digest()
}
/** How long that takes with a core of its own on the machine that all limits were set on. */
const quietMs = 2.5

/** How much longer work takes now than it would there: a slower machine counts, and so do the others that share it. */
const slowdown = (): number => {
  for (let n = 0; n < 3; n++) work()
  const began = performance.now()
  let done = 0
  for (; performance.now() - began < 100; done++) work()
  return Math.max(1, (performance.now() - began) / done / quietMs)
}

/** The milliseconds that work may take at this moment if `ms` is its limit on a quiet machine. */
export const onQuietMachine = (ms: number): number => ms * Math.max(slowdown(), slowdown(), slowdown())

/** Expects that work takes less than `ms` of a quiet machine, in the best of several tries; a slow try is compared with how slow the machine is just then.
 * Work that measures itself returns its milliseconds. */
export const expectWithin = async (ms: number, measured: () => unknown, tries = 5): Promise<void> => {
  const missed: string[] = []
  for (let n = 0; n < tries; n++) {
    const began = performance.now()
    const own = await measured()
    const took = typeof own === 'number' ? own : performance.now() - began
    if (took < ms) return
    const limit = onQuietMachine(ms)
    if (took < limit) return
    missed.push(`${Math.round(took)} ms where ${Math.round(limit)} ms are allowed`)
  }
  throw new Error(`Too slow in each of ${tries} tries: ${missed.join(', ')}`)
}
