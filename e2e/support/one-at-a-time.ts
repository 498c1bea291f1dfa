import { mkdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const staleMs = 30_000

/** Runs the work while no other worker of this run does: all codes go to one outbox, and the newest must be the worker's own. */
export const oneAtATime = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const { port } = new URL(process.env.E2E_BASE_URL ?? 'http://localhost')
  const lock = join(tmpdir(), `lis-e2e-${name}-${port}.lock`)
  while (!take(lock)) await wait(50)
  try {
    return await work()
  } finally {
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
