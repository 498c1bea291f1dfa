import { systemScope } from '../../platform/db/scope.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { processFile, processStale } from './process-file.ts'
import { findStale } from './queries.ts'

/** Files or holds one uploaded file. */
export const processFileJob = defineJob<{ fileId: number }>({
  kind: 'report-file.settle',
  concurrency: 3,
  maxSeconds: 120,
  retry: { limit: 4, delaySeconds: 2, longestDelaySeconds: 30 },
  run: async ({ services, id }, { fileId }) => {
    await processFile(services, fileId, id)
  },
})

const atOnce = 200

/** Processes files that were uploaded but never reported as finished, and marks those that were not uploaded before their slot expired. */
export const sweepFilesJob = defineJob({
  kind: 'report-file.sweep',
  schedule: async () => ({ cron: '* * * * *', zone: 'UTC' }),
  run: async ({ services }) => {
    const stale = await findStale(services.databases(systemScope), atOnce)
    await processStale(services, stale)
    return { settled: stale.length }
  },
})
