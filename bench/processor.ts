import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of processor time since the start. */
export interface Processor {
  server: number
  database: number
}

/**
 * Processor time of a server and of its PostgreSQL, in the nanoseconds of the Linux scheduler: the hundredths of /proc/PID/stat are too
 * coarse for the twenty processes of a database.
 */
export const processorOf = (server: number, postmaster: number): Processor => ({
  server: millisecondsOf(server),
  database: [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + millisecondsOf(pid), 0),
})

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** All threads of a process; one that ends meanwhile has ended. */
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
