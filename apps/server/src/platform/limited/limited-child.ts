import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { TaskReply, TaskRequest } from './limited-process.ts'

/** The process that works on one file after the other. */
const mostBytes = Number(process.env.LIMITED_BYTES)
const seconds = Number(process.env.LIMITED_SECONDS)
/** Memory that was once taken is seldom given back: so full, the next file would pay for this one. */
const tiredBytes = mostBytes / 2

/** When the work in hand must be over; 0 at rest. */
const deadline = new Float64Array(new SharedArrayBuffer(8))

// A thread of its own: the work may not let go of this one.
new Worker(new URL('./limited-watch.ts', import.meta.url), { workerData: { deadline, mostBytes } }).unref()

const answerTo = async ({ id, module, task, input }: TaskRequest): Promise<TaskReply> => {
  const isTired = () => process.memoryUsage.rss() > tiredBytes
  try {
    const result = await (await import(module))[task](...input)
    return { id, isTired: isTired(), result }
  } catch (error) {
    const { code, message } = error as AppError
    if (error instanceof AppError) return { id, isTired: isTired(), refusal: { code, message } }
    return { id, isTired: true, fault: message }
  }
}

process.on('message', async (order: TaskRequest) => {
  deadline[0] = Date.now() + seconds * 1000
  const answer = await answerTo(order)
  deadline[0] = 0
  process.send?.(answer)
})
process.on('disconnect', () => process.exit())
