import type { Services } from '../services.ts'

/** What a job may use while it runs. */
export interface JobContext {
  id: string
  /** Who asked for it; null when the clock did. */
  userId: number | null
  /** 1 the first time; more after a failure or a crash. */
  attempt: number
  services: Services
  /** Aborted when the job was cancelled, when another worker has taken it over, or when this process has to end. */
  signal: AbortSignal
  /** Shows how far the work is, and throws when it should stop. Cheap enough to be called for every row. */
  progress: (done: number, total: number | null, message?: string) => Promise<void>
}

/** When a kind runs by the clock; minutes are the finest step. */
export interface JobSchedule {
  cron: string
  zone: string
}

/**
 * A kind of long work. It may run more than once, because a process can die at any moment: what it has done before must not hurt
 * when it is done again. An `AppError` is an answer (the work cannot be done) and is final; anything else is tried again.
 */
export interface JobDefinition<Input extends object = Record<string, never>> {
  kind: string
  run: (context: JobContext, input: Input) => Promise<unknown>
  /** How often a failed run is tried again, and how long after: the wait doubles each time up to the longest. */
  retry?: { limit?: number; delaySeconds?: number; longestDelaySeconds?: number }
  /** Longest time one run may take. */
  maxSeconds?: number
  /** How many of this kind one process works on at the same time. */
  concurrency?: number
  /** Asked once, when a worker starts; null: by the clock never. */
  schedule?: (services: Services) => Promise<JobSchedule | null>
  /** After how long without a sign of life a run is given to another worker. At least 10. */
  heartbeatSeconds?: number
}

/** Jobs of different inputs, as the worker holds them together. */
export type AnyJob = JobDefinition<never>

export const defineJob = <Input extends object = Record<string, never>>(
  definition: JobDefinition<Input>,
): JobDefinition<Input> => {
  if (!/^[a-z][a-z0-9.-]*$/.test(definition.kind)) throw new Error(`Not a job kind: ${definition.kind}`)
  return definition
}
