import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of processor time since the start. */
export interface Processor {
  server: number
  database: number
}

/**
 * Processor time of a server and of its PostgreSQL, in the nanoseconds of the Linux scheduler: the hundredths of /proc/PID/stat are too
 * coarse for the twenty processes of a database. What a process of the database had used when it was last seen still counts after its end.
 */
export const watchProcessor = (server: number, postmaster: number): (() => Processor) => {
  const used = new Map<number, number>()
  return () => {
    for (const pid of [postmaster, ...childrenOf(postmaster)])
      used.set(pid, Math.max(used.get(pid) ?? 0, millisecondsOf(pid)))
    return { server: millisecondsOf(server), database: [...used.values()].reduce((sum, ms) => sum + ms, 0) }
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** All threads of a process; 0 for one that has ended. */
const millisecondsOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ofThread(pid, thread), 0)
  } catch {
    return 0
  }
}

const ofThread = (pid: number, thread: string): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
