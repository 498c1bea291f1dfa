import { homeTopic } from '@lis/contract/home.ts'
import { startExclusive } from '../../platform/jobs/exclusive.ts'
import type { Loop } from '../../platform/jobs/loop.ts'
import type { Services } from '../../platform/services.ts'
import { type CheckServices, checkAlerts } from './check-job.ts'

interface AlertsDeps {
  services: CheckServices & Pick<Services, 'events'>
  databaseUrl: string
}

/** Changes within this time are checked together. */
const everyMs = 5000

/**
 * Runs in exactly one process: checks the watched views within seconds of a change that Home would show. Conditions that become true with time
 * are left to the job that runs every minute.
 */
export const startViewAlerts = ({ services, databaseUrl }: AlertsDeps): Loop => {
  let isChanged = false
  const onChange = () => {
    isChanged = true
  }
  const unsubscribe = services.events.subscribe({ topic: homeTopic }, onChange)
  const stopGaps = services.events.onGap(onChange)
  const round = async () => {
    if (!isChanged) return
    isChanged = false
    try {
      await checkAlerts(services, { isAfterChange: true })
    } catch (error) {
      isChanged = true
      throw error
    }
  }
  const end = () => undefined
  const exclusive = startExclusive({ lockName: 'view-alerts', databaseUrl, log: services.log, everyMs, round, end })
  return {
    stop: async () => {
      unsubscribe()
      stopGaps()
      await exclusive.stop()
    },
  }
}
