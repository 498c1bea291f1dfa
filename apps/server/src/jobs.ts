import { processFileJob, sweepFilesJob } from './modules/batch-files/jobs.ts'
import { nightlyBillingJob } from './modules/billing-batches/nightly-job.ts'
import { escalateCallsJob } from './modules/critical-calls/escalation-job.ts'
import { largeLoadJob, largePreviewJob, loadJob, previewJob } from './modules/csv-loads/jobs.ts'
import { sendDeliveriesJob } from './modules/deliveries/send-job.ts'
import { downtimeKitsJob } from './modules/downtime/service.ts'
import { exportJob } from './modules/fhir/export-job.ts'
import { countPinnedViewsJob } from './modules/home/count-pinned-views.ts'
import { makePackJob } from './modules/report-pages/inspection/job.ts'
import { makeReportJob } from './modules/report-pages/jobs.ts'
import { makeReportsJob } from './modules/reports/jobs.ts'
import { propagatePatientJob } from './modules/requisition-entry/propagate-changes.ts'
import { readScanJob } from './modules/requisition-scans/service.ts'
import { sendSchedulesJob } from './modules/schedules/jobs.ts'
import { changedFileJob } from './modules/stored-files/jobs.ts'
import { checkAlertsJob } from './modules/view-alerts/check-job.ts'
import type { AnyJob } from './platform/jobs/definition.ts'

/** Every kind of long work, listed by hand; their modules define them. */
export const jobDefinitions: AnyJob[] = [
  processFileJob,
  sweepFilesJob,
  previewJob,
  largePreviewJob,
  loadJob,
  largeLoadJob,
  makeReportsJob,
  escalateCallsJob,
  checkAlertsJob,
  countPinnedViewsJob,
  sendSchedulesJob,
  sendDeliveriesJob,
  downtimeKitsJob,
  nightlyBillingJob,
  makeReportJob,
  makePackJob,
  propagatePatientJob,
  changedFileJob,
  readScanJob,
  exportJob,
]
