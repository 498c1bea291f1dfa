import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { ErrorCode } from '@lis/contract/kit/errors.ts'
import { AppError } from '../errors.ts'

/** What work on a file from outside may take. The child watches itself, so the limits hold also when this process is busy or gone. */
export const limits = { seconds: 20, residentBytes: 768 * 2 ** 20, heapMegabytes: 512 }

/** The work took more time or memory than allowed, or ended its process. */
export class OverLimit extends Error {}
/** The work failed in a way that nobody foresaw. */
export class TaskFailed extends Error {}

export interface TaskRequest {
  id: number
  /** Address of the module that has the task. */
  module: string
  task: string
  input: readonly unknown[]
}

export type TaskReply =
  | { id: number; isTired: boolean; result: unknown }
  | { id: number; isTired: boolean; refusal: { code: ErrorCode; message: string } }
  | { id: number; isTired: boolean; fault: string }

// biome-ignore lint/suspicious/noExplicitAny: whatever the task takes
type Task = (...input: any[]) => unknown
type Tasks<M> = { [K in keyof M]: M[K] extends Task ? K : never }[keyof M]

const mostProcesses = Math.max(1, Math.min(2, availableParallelism()))
const graceMs = 2000
const idleMs = 30_000

interface Place {
  child: ChildProcess
  idle: NodeJS.Timeout | null
}

const free: Place[] = []
const waiting: ((place: Place) => void)[] = []
let running = 0
let lastId = 0

/**
 * Runs an exported function of a module in a process of its own, with bounded time and memory: a PDF of some hundred kilobytes can unpack
 * to gigabytes, and a thread cannot be kept from taking them. At most two at a time; the input is read when the turn has come, so memory
 * does not grow with the number that wait.
 */
export const runInLimitedProcess = async <M, K extends Tasks<M> & string>(
  module: URL,
  task: K,
  input: () => Promise<Parameters<Extract<M[K], Task>>>,
): Promise<Awaited<ReturnType<Extract<M[K], Task>>>> => {
  const place = await take()
  try {
    return (await order(place, { id: ++lastId, module: module.href, task, input: await input() })) as never
  } finally {
    give(place)
  }
}

const order = (place: Place, message: TaskRequest): Promise<unknown> =>
  new Promise((done, fail) => {
    const { child } = place
    const end = (settle: () => void) => {
      clearTimeout(timer)
      child.off('message', hear).off('exit', die).off('error', kill)
      settle()
    }
    const kill = () => {
      child.kill('SIGKILL')
      die()
    }
    const die = () => end(() => fail(new OverLimit('The file takes too much time or memory')))
    const hear = (answer: TaskReply) => {
      if (answer.id !== message.id) return
      if (answer.isTired) child.kill('SIGKILL')
      end(() => {
        if ('result' in answer) done(answer.result)
        else
          fail(
            'refusal' in answer
              ? new AppError(answer.refusal.code, answer.refusal.message)
              : new TaskFailed(answer.fault),
          )
      })
    }
    const timer = setTimeout(kill, limits.seconds * 1000 + graceMs)
    child.on('message', hear).on('exit', die).on('error', kill)
    child.send(message, (error) => error && kill())
  })

const take = async (): Promise<Place> => {
  const known = free.pop()
  if (known) {
    if (known.idle) clearTimeout(known.idle)
    hold(known.child, true)
    return known
  }
  if (running >= mostProcesses) return new Promise((turn) => waiting.push(turn))
  running++
  return open()
}

const open = (): Place => {
  const child = fork(new URL('./limited-child.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${limits.heapMegabytes}`, '--disable-warning=ExperimentalWarning'],
    // What reads a stranger's file has no business with our secrets.
    env: {
      LIMITED_SECONDS: String(limits.seconds),
      LIMITED_BYTES: String(limits.residentBytes),
      // Windows starts no program without it.
      ...(process.env.SystemRoot && { SystemRoot: process.env.SystemRoot }),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return { child, idle: null }
}

/** A process at rest does not keep ours from ending. */
const hold = (child: ChildProcess, isHeld: boolean) => {
  if (isHeld) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}

const give = (place: Place) => {
  const isOver = place.child.killed || place.child.exitCode !== null || place.child.signalCode !== null
  const next = waiting.shift()
  if (next) return next(isOver ? open() : place)
  if (isOver) {
    running--
    return
  }
  hold(place.child, false)
  free.push(place)
  place.idle = setTimeout(() => {
    free.splice(free.indexOf(place), 1)
    running--
    place.child.disconnect()
  }, idleMs)
  place.idle.unref()
}
