import { appRole, openPool } from '../src/platform/db/pool.ts'
import { scopedDatabases } from '../src/platform/db/scope.ts'
import { defineJob } from '../src/platform/jobs/definition.ts'
import { openWorker } from '../src/platform/jobs/worker.ts'
import { openLog } from '../src/platform/log.ts'
import type { Services } from '../src/platform/services.ts'

/** A job that runs until it is killed the first time and succeeds the second; the crash test runs and kills this program. */
export const crashJob = defineJob<{ text: string }>({
  kind: 'crash-test',
  heartbeatSeconds: 10,
  retry: { delaySeconds: 1 },
  run: async ({ attempt, progress, signal }, { text }) => {
    await progress(1, 2, `attempt ${attempt}`)
    if (attempt === 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return { text, attempt }
  },
})

const databaseUrl = process.env.CRASH_TEST_URL
if (databaseUrl) {
  const pool = openPool(databaseUrl, { max: 3, role: appRole })
  const services = { pool, databases: scopedDatabases(pool), log: openLog('error') } as Services
  await openWorker(services, [crashJob], { databaseUrl })
}
