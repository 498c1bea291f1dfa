import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { ErrorCode } from '@lis/contract/kit/errors.ts'
import { AppError, Unreachable } from '../errors.ts'

/**
 * Limits for work on an uploaded file. The child watches itself, so the limits apply even when this process is busy or dead. `seconds` are
 * of processor time: on a busy machine a small report waits for its turn, and must not be refused for it. `waitSeconds` is the whole time.
 */
export const limits = { seconds: 20, waitSeconds: 120, residentBytes: 768 * 2 ** 20, heapMegabytes: 512 }

/** The task took more time or memory than allowed, or its process died. */
export class OverLimit extends Error {}
/** The task threw an unexpected error. */
export class TaskFailed extends Error {}

export interface TaskRequest {
  id: number
  /** URL of the module that exports the task. */
  module: string
  task: string
  input: readonly unknown[]
  /** More processor time than `limits` allow, and in all no less. */
  seconds?: number | undefined
  /** Other work of the machine goes first. */
  isInBackground?: boolean | undefined
}

export type TaskReply =
  | { id: number; needsRestart: boolean; result: unknown }
  | { id: number; needsRestart: boolean; refusal: { code: ErrorCode; message: string } }
  | { id: number; needsRestart: boolean; fault: string }

// biome-ignore lint/suspicious/noExplicitAny: whatever the task takes
type Task = (...input: any[]) => unknown
type Tasks<M> = { [K in keyof M]: M[K] extends Task ? K : never }[keyof M]

const maxProcesses = Math.max(1, Math.min(2, availableParallelism()))
const graceMs = 2000
const idleMs = 30_000

interface WorkerSlot {
  child: ChildProcess
  idle: NodeJS.Timeout | null
}

const free: WorkerSlot[] = []
const waiting: ((slot: WorkerSlot | Promise<WorkerSlot>) => void)[] = []
let running = 0
let lastId = 0

/**
 * Runs an exported function of a module in a child process with bounded time and memory: a PDF of a few hundred kilobytes can unpack to
 * gigabytes, and the memory of a thread cannot be limited. At most two run at a time; the input is read when a process is free, so memory
 * does not grow with the number of waiting calls.
 */
export const runInLimitedProcess = async <M, K extends Tasks<M> & string>(
  module: URL,
  task: K,
  input: () => Promise<Parameters<Extract<M[K], Task>>>,
  options: Pick<TaskRequest, 'seconds' | 'isInBackground'> = {},
): Promise<Awaited<ReturnType<Extract<M[K], Task>>>> => {
  const slot = await acquireSlot()
  try {
    return (await runIn(slot, { id: ++lastId, module: module.href, task, input: await input(), ...options })) as never
  } finally {
    releaseSlot(slot)
  }
}

const runIn = (slot: WorkerSlot, request: TaskRequest): Promise<unknown> =>
  new Promise((done, fail) => {
    const { child } = slot
    const end = (settle: () => void) => {
      clearTimeout(timer)
      child.off('message', onReply).off('exit', onExit).off('error', kill)
      settle()
    }
    const kill = () => {
      child.kill('SIGKILL')
      onExit()
    }
    const onExit = () => end(() => fail(new OverLimit('The file takes too much time or memory')))
    const onReply = (reply: TaskReply) => {
      if (reply.id !== request.id) return
      if (reply.needsRestart) child.kill('SIGKILL')
      end(() => {
        if ('result' in reply) done(reply.result)
        else
          fail(
            'refusal' in reply ? new AppError(reply.refusal.code, reply.refusal.message) : new TaskFailed(reply.fault),
          )
      })
    }
    const timer = setTimeout(kill, Math.max(request.seconds ?? 0, limits.waitSeconds) * 1000 + graceMs)
    child.on('message', onReply).on('exit', onExit).on('error', kill)
    child.send(request, (error) => error && kill())
  })

const acquireSlot = async (): Promise<WorkerSlot> => {
  const known = free.pop()
  if (known) {
    if (known.idle) clearTimeout(known.idle)
    keepAlive(known.child, true)
    return known
  }
  if (running >= maxProcesses) return new Promise((turn) => waiting.push(turn))
  running++
  return openSlot()
}

/** For a place that `running` counts already. */
const openSlot = async (): Promise<WorkerSlot> => {
  try {
    return startChild()
  } catch (error) {
    passOnPlace()
    throw error
  }
}

const passOnPlace = () => {
  const next = waiting.shift()
  if (next) next(openSlot())
  else running--
}

const startChild = (): WorkerSlot => {
  const child = fork(new URL('./limited-child.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${limits.heapMegabytes}`, '--disable-warning=ExperimentalWarning'],
    // Code that reads an uploaded file must not see our secrets.
    env: {
      LIMITED_SECONDS: String(limits.seconds),
      LIMITED_WAIT_SECONDS: String(limits.waitSeconds),
      LIMITED_BYTES: String(limits.residentBytes),
      // Windows cannot start a program without it.
      ...(process.env.SystemRoot && { SystemRoot: process.env.SystemRoot }),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // Without a listener, a failed start would end our process, as would a child that is killed while idle.
  child.on('error', () => undefined)
  if (child.pid === undefined) throw new Unreachable('The file cannot be read at the moment, please try again later')
  const slot: WorkerSlot = { child, idle: null }
  child.once('exit', () => removeIdle(slot))
  return slot
}

const removeIdle = (slot: WorkerSlot) => {
  const place = free.indexOf(slot)
  if (place === -1) return
  free.splice(place, 1)
  running--
  if (slot.idle) clearTimeout(slot.idle)
}

/** An idle child must not keep our process alive. */
const keepAlive = (child: ChildProcess, isBusy: boolean) => {
  if (isBusy) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}

const releaseSlot = (slot: WorkerSlot) => {
  const isDead = slot.child.killed || slot.child.exitCode !== null || slot.child.signalCode !== null
  if (isDead) return passOnPlace()
  const next = waiting.shift()
  if (next) return next(slot)
  keepAlive(slot.child, false)
  free.push(slot)
  slot.idle = setTimeout(() => {
    removeIdle(slot)
    slot.child.disconnect()
  }, idleMs)
  slot.idle.unref()
}
