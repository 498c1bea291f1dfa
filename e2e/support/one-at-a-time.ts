import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Of a worker that has died: a living one touches its lock all the time. */
const staleMs = 60_000
const touchMs = 2000

/** Runs the work while no other worker of this run does: all codes go to one outbox, and the newest must be the worker's own. */
export const oneAtATime = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const { port } = new URL(process.env.E2E_BASE_URL ?? 'http://localhost')
  const lock = join(tmpdir(), `lis-e2e-${name}-${port}.lock`)
  while (!take(lock)) await wait(50)
  const touching = setInterval(() => utimesSync(lock, new Date(), new Date()), touchMs)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    rmSync(lock, { recursive: true, force: true })
  }
}

const take = (lock: string): boolean => {
  try {
    mkdirSync(lock)
    return true
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > staleMs) rmSync(lock, { recursive: true, force: true })
    return false
  }
}
