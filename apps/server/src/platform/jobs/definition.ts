import type { Services } from '../services.ts'

/** The context of a running job. */
export interface JobContext {
  id: string
  /** Who requested it; null for a scheduled job. */
  userId: number | null
  /** 1 the first time; more after a failure or a crash. */
  attempt: number
  services: Services
  /** Aborted when the job is cancelled, when another worker has taken it over, or when this process stops. */
  signal: AbortSignal
  /** Reports progress, and throws when the job should stop. Fast enough to be called for every row. */
  progress: (done: number, total: number | null, message?: string) => Promise<void>
}

/** A cron schedule with its time zone; the resolution is one minute. */
interface JobSchedule {
  cron: string
  zone: string
}

/**
 * A kind of background job. It may run more than once, because a process can die at any moment, so it must be idempotent. An `AppError`
 * (the work cannot be done) is final; any other error is retried.
 */
export interface JobDefinition<Input extends object = Record<string, never>> {
  kind: string
  run: (context: JobContext, input: Input) => Promise<unknown>
  /** How often a failed run is retried; the delay doubles each time up to the longest. */
  retry?: { limit?: number; delaySeconds?: number; longestDelaySeconds?: number }
  /** Longest time one run may take. */
  maxSeconds?: number
  /** How many jobs of this kind one process runs at the same time. */
  concurrency?: number
  /** Called once, when a worker starts; null for no schedule. */
  schedule?: (services: Services) => Promise<JobSchedule | null>
  /** After how long without a heartbeat a job is given to another worker. At least 10. */
  heartbeatSeconds?: number
}

/** A job with any input. */
export type AnyJob = JobDefinition<never>

export const defineJob = <Input extends object = Record<string, never>>(
  definition: JobDefinition<Input>,
): JobDefinition<Input> => {
  if (!/^[a-z][a-z0-9.-]*$/.test(definition.kind)) throw new Error(`Not a job kind: ${definition.kind}`)
  return definition
}
