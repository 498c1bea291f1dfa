import { defineJob } from '../../platform/jobs/definition.ts'
import { runNightlyBilling } from './run-service.ts'

/** After midnight in the laboratory, when the day's deliveries are done. */
export const nightlyBillingJob = defineJob({
  kind: 'billing.nightly',
  schedule: { cron: '30 1 * * *', zone: 'America/New_York' },
  run: runNightlyBilling,
})
