import type { JobWithMetadata, PgBoss } from 'pg-boss'
import type { Services } from '../services.ts'
import { type BossTimes, openBoss } from './boss.ts'
import type { AnyJob } from './definition.ts'
import { runJob } from './run-job.ts'

export interface WorkerOptions extends BossTimes {
  /** Address of the database; the worker holds a few connections of its own beside the pool. */
  databaseUrl: string
  /** How often each kind is asked for work that was deferred, or missed while the database could not announce it. */
  pollSeconds?: number
}

export interface JobWorker {
  /** Lets a kind run by the clock from now on, in every process; the last call counts. */
  schedule: (kind: string, cron: string, zone: string) => Promise<void>
  unschedule: (kind: string) => Promise<void>
  /** Takes no more work, waits so long for what is running, and gives back the rest for another worker. */
  stop: (waitMs?: number) => Promise<void>
}

/** Works on jobs in this process. Any number of processes may do so at once. */
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
  // One listener each: pg-boss can wake a listener by its name, and of several under one name it tells only the first.
  for (let n = 0; n < (definition.concurrency ?? 1); n++) {
    let name = ''
    const handle = async ([entry]: JobWithMetadata[]) => {
      try {
        if (entry) await runJob(services, definition, entry)
      } finally {
        boss.notifyWorker(name) // there may be more: ask at once and not after the pause
      }
    }
    name = await boss.work<object, void, typeof workOptions>(definition.kind, workOptions, handle)
  }
}

const fromDefinition = 'definition'

/** What the definitions say about the clock holds; a schedule that one of them no longer has is removed. */
const syncSchedules = async (boss: PgBoss, services: Services, definitions: readonly AnyJob[]) => {
  for (const { kind, schedule: when } of definitions) {
    const schedule = await when?.(services)
    if (schedule) await boss.schedule(kind, schedule.cron, null, { tz: schedule.zone, key: fromDefinition })
    else await boss.unschedule(kind, fromDefinition)
  }
}
