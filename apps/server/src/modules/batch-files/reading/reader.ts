import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { FileContent } from './read-content.ts'

const mostThreads = Math.max(1, Math.min(2, availableParallelism()))
const patienceMs = 20_000
const mostBytes = 768 * 2 ** 20
const lookMs = 200
const idleMs = 30_000
const broken: FileContent = { lines: [], barCodes: [], unreadPages: 0, fault: 'broken' }

interface Thread {
  worker: Worker
  idle: NodeJS.Timeout | null
}

const free: Thread[] = []
const waiting: ((thread: Thread) => void)[] = []
let running = 0
let lastId = 0

/**
 * Reads a file in a thread of its own: a file made to hang or to fill the memory ends that thread and counts as broken, and the server
 * goes on. At most two at a time, so memory does not grow with the number of files.
 */
export const readInThread = async (bytes: Uint8Array, kind: string): Promise<FileContent> => {
  const thread = await take()
  return new Promise((done) => {
    const id = ++lastId
    const { worker } = thread
    let isOver = false
    const finish = (content: FileContent, isAlive: boolean) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      clearInterval(watch)
      worker.off('message', hear).off('error', die).off('exit', die)
      if (isAlive) give(thread)
      else lose(thread)
      done(content)
    }
    const timer = setTimeout(() => finish(broken, false), patienceMs)
    const watch = setInterval(async () => {
      if ((await holdsTooMuch(worker)) && !isOver) finish(broken, false)
    }, lookMs)
    const hear = (reply: { id: number; content?: FileContent }) => {
      if (reply.id === id) finish(reply.content ?? broken, true)
    }
    const die = () => finish(broken, false)
    worker.on('message', hear).on('error', die).on('exit', die)
    // The bytes move over, they are not copied.
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
    worker.postMessage({ id, bytes: own, kind }, [own.buffer as ArrayBuffer])
  })
}

/** What a packed stream swells to lies outside the heap that the limits of the thread count, so it is looked at from here. */
const holdsTooMuch = async (worker: Worker): Promise<boolean> => {
  const held = await worker.getHeapStatistics().catch(() => null) // it has ended in the meantime
  return held !== null && held.external_memory + held.total_heap_size > mostBytes
}

const take = async (): Promise<Thread> => {
  const known = free.pop()
  if (known) {
    if (known.idle) clearTimeout(known.idle)
    return known
  }
  if (running >= mostThreads) return new Promise((turn) => waiting.push(turn))
  running++
  return open()
}

const open = (): Thread => {
  const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  return { worker, idle: null }
}

const give = (thread: Thread) => {
  const next = waiting.shift()
  if (next) return next(thread)
  free.push(thread)
  thread.idle = setTimeout(() => {
    free.splice(free.indexOf(thread), 1)
    running--
    void thread.worker.terminate()
  }, idleMs)
  thread.idle.unref()
}

const lose = ({ worker }: Thread) => {
  void worker.terminate()
  const next = waiting.shift()
  if (next) next(open())
  else running--
}
