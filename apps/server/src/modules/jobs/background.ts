import type { AnyJob } from '../../platform/jobs/definition.ts'
import { type JobWorker, openWorker } from '../../platform/jobs/worker.ts'
import type { Services } from '../../platform/services.ts'
import { type MaintenanceDeps, startMaintenance } from './maintenance.ts'

export interface BackgroundDeps extends Omit<MaintenanceDeps, 'services'> {
  services: Services
  definitions: readonly AnyJob[]
  databaseUrl: string
}

export interface Background {
  worker: JobWorker
  stop: () => Promise<void>
}

/** Jobs and maintenance together: inside the server by default, or alone in a worker process. */
export const startBackground = async ({ definitions, databaseUrl, ...deps }: BackgroundDeps): Promise<Background> => {
  const worker = await openWorker(deps.services, definitions, { databaseUrl })
  const maintenance = startMaintenance(deps)
  return {
    worker,
    stop: async () => {
      await Promise.all([worker.stop(), maintenance.stop()])
    },
  }
}
