import type { ReportDefinition } from './definition.ts'
import { correctedReports } from './qa/corrected-reports.ts'
import { criticalCalls } from './qa/critical-calls.ts'
import { demographicQc } from './qa/demographic-qc.ts'
import { failedTests } from './qa/failed-tests.ts'
import { issues } from './qa/issues.ts'
import { outOfRange } from './qa/out-of-range.ts'
import { pending } from './qa/pending.ts'
import { specimensWithoutTest } from './qa/specimens-without-test.ts'
import { turnaround } from './qa/turnaround.ts'
import { billing } from './summary/billing.ts'
import { deliveries } from './summary/deliveries.ts'
import { distribution } from './summary/distribution.ts'
import { volumeByTest } from './summary/tests.ts'
import { userActivity } from './summary/users.ts'
import { volumeByClient, volumeByCollaborator, volumeBySales } from './summary/volume.ts'

export type ReportKind = 'QA' | 'SUMMARY'

/** Every report of the two lists, listed by hand. */
export const definitions: Record<ReportKind, readonly ReportDefinition[]> = {
  QA: [
    turnaround,
    pending,
    failedTests,
    correctedReports,
    demographicQc,
    issues,
    specimensWithoutTest,
    outOfRange,
    criticalCalls,
  ],
  SUMMARY: [
    volumeByClient,
    volumeByCollaborator,
    volumeBySales,
    volumeByTest,
    distribution,
    deliveries,
    billing,
    userActivity,
  ],
}
