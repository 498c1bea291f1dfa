import type { JobWithMetadata, PgBoss } from 'pg-boss'
import type { Services } from '../services.ts'
import { type BossTimes, openBoss } from './boss.ts'
import type { AnyJob } from './definition.ts'
import { runJob } from './run-job.ts'

export interface WorkerOptions extends BossTimes {
  /** The worker opens a few connections besides the pool. */
  databaseUrl: string
  /** How often each kind is polled for deferred jobs, and for jobs whose notification was missed. */
  pollSeconds?: number
}

export interface JobWorker {
  /** Schedules a kind in every process; the last call wins. */
  schedule: (kind: string, cron: string, zone: string) => Promise<void>
  unschedule: (kind: string) => Promise<void>
  /** Takes no more jobs, waits this long for the running ones, and leaves the rest to another worker. */
  stop: (waitMs?: number) => Promise<void>
}

/** Runs jobs in this process. Any number of processes may do so at once. */
export const openWorker = async (
  services: Services,
  definitions: readonly AnyJob[],
  options: WorkerOptions,
): Promise<JobWorker> => {
  const boss = openBoss(options.databaseUrl, options)
  boss.on('error', (error) => services.log.error({ err: error }, 'job queue'))
  boss.on('warning', ({ message }) => services.log.warn({ warning: message }, 'job queue'))
  await boss.start()
  try {
    for (const definition of definitions) await listen(boss, services, definition, options.pollSeconds ?? 5)
    await syncSchedules(boss, services, definitions)
  } catch (error) {
    await boss.stop({ graceful: false })
    throw error
  }
  return {
    schedule: (kind, cron, zone) => boss.schedule(kind, cron, null, { tz: zone }),
    unschedule: (kind) => boss.unschedule(kind),
    stop: (waitMs = 8000) => boss.stop({ graceful: true, timeout: waitMs }),
  }
}

const listen = async (boss: PgBoss, services: Services, definition: AnyJob, pollSeconds: number) => {
  const workOptions = {
    pollingIntervalSeconds: 1,
    notifyPollingIntervalSeconds: pollSeconds,
    includeMetadata: true,
  } as const
  // One pg-boss worker per slot: pg-boss wakes a worker by its name, and of several with one name only the first.
  for (let n = 0; n < (definition.concurrency ?? 1); n++) {
    let name = ''
    const handle = async ([entry]: JobWithMetadata[]) => {
      try {
        if (entry) await runJob(services, definition, entry)
      } finally {
        boss.notifyWorker(name) // there may be more: poll at once
      }
    }
    name = await boss.work<object, void, typeof workOptions>(definition.kind, workOptions, handle)
  }
}

const fromDefinition = 'definition'

/** Sets the schedules of the definitions, and removes those that a definition no longer has. */
const syncSchedules = async (boss: PgBoss, services: Services, definitions: readonly AnyJob[]) => {
  for (const { kind, schedule: when } of definitions) {
    const schedule = await when?.(services)
    if (schedule) await boss.schedule(kind, schedule.cron, null, { tz: schedule.zone, key: fromDefinition })
    else await boss.unschedule(kind, fromDefinition)
  }
}
