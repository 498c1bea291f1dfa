import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { TaskReply, TaskRequest } from './limited-process.ts'

/** The child process: it works on one file at a time. */
const maxBytes = Number(process.env.LIMITED_BYTES)
const limitSeconds = Number(process.env.LIMITED_SECONDS)
const waitSeconds = Number(process.env.LIMITED_WAIT_SECONDS)
/** Memory is seldom returned to the system: above this the process is replaced, so that the next file has its full limit. */
const restartBytes = maxBytes / 2

/** By which processor time and at which moment the current task must have ended; 0 while idle. */
const ends = new Float64Array(new SharedArrayBuffer(16))

// In a separate thread, because a task may block this one.
new Worker(new URL('./limited-watch.ts', import.meta.url), { workerData: { ends, maxBytes } }).unref()

const runTask = async ({ id, module, task, input, isInBackground }: TaskRequest): Promise<TaskReply> => {
  // A process cannot take its former priority back.
  const needsRestart = () => isInBackground === true || process.memoryUsage.rss() > restartBytes
  try {
    const result = await (await import(module))[task](...input)
    return { id, needsRestart: needsRestart(), result }
  } catch (error) {
    const { code, message } = error as AppError
    if (error instanceof AppError) return { id, needsRestart: needsRestart(), refusal: { code, message } }
    return { id, needsRestart: true, fault: message }
  }
}

process.on('message', async (request: TaskRequest) => {
  const seconds = request.seconds ?? limitSeconds
  const { user, system } = process.cpuUsage()
  ends[0] = user + system + seconds * 1_000_000
  ends[1] = Date.now() + Math.max(seconds, waitSeconds) * 1000
  if (request.isInBackground) setPriority(constants.priority.PRIORITY_LOW)
  const reply = await runTask(request)
  ends.fill(0)
  process.send?.(reply)
})
process.on('disconnect', () => process.exit())
