import { systemScope } from '../../platform/db/scope.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { runNightlyBilling } from './run-service.ts'

/** After midnight in the laboratory's zone, when the day's deliveries are done. */
export const nightlyBillingJob = defineJob({
  kind: 'billing.nightly',
  schedule: async ({ config, databases }) => {
    if (config.BILLING_RUN_AT === 'off') return null
    const [hour, minute] = config.BILLING_RUN_AT.split(':').map(Number)
    return { cron: `${minute} ${hour} * * *`, zone: await getHomeZone(databases(systemScope)) }
  },
  run: runNightlyBilling,
})
