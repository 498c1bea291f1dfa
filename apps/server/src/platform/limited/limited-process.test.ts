import { describe, expect, it } from 'vitest'
import { OverLimit, runInLimitedProcess } from './limited-process.ts'

/** As a module, so that the child can load them. */
const tasks = new URL(
  `data:text/javascript,${encodeURIComponent(`
    export const ownPid = () => process.pid
    export const wait = (ms) => new Promise((done) => setTimeout(() => done('waited'), ms))
    export const spin = (ms) => {
      const from = process.cpuUsage()
      for (;;) {
        const { user, system } = process.cpuUsage(from)
        if (user + system > ms * 1000) return 'spun'
      }
    }
  `)}`,
)
interface Tasks {
  ownPid: () => number
  wait: (ms: number) => Promise<string>
  spin: (ms: number) => string
}
const run = (task: keyof Tasks, ms: number, seconds: number) =>
  runInLimitedProcess<Tasks, typeof task>(tasks, task, async () => [ms], { seconds })

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a child process that is killed while idle', () => {
  it('is replaced: the next task runs', async () => {
    const ownPid = () => runInLimitedProcess<Tasks, 'ownPid'>(tasks, 'ownPid', async () => [])
    const first = await ownPid()
    process.kill(first, 'SIGKILL')
    await expect.poll(() => isRunning(first)).toBe(false)
    expect(await ownPid()).not.toBe(first)
  })
})

describe('the limits of a child process', () => {
  it('are of processor time: a task that waits for its turn on a busy machine is not ended', async () => {
    expect(await run('wait', 2500, 1)).toBe('waited')
  })

  it('end a task that works longer, and the next one gets the full time', async () => {
    await expect(run('spin', 60_000, 1)).rejects.toThrow(OverLimit)
    expect(await run('spin', 200, 5)).toBe('spun')
  })
})
