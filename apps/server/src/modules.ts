import { accessLogModule } from './modules/access-log/routes.ts'
import { accessReviewModule } from './modules/access-review/routes.ts'
import { apiClientsModule } from './modules/api-clients/routes.ts'
import { autoverificationModule } from './modules/autoverification/routes.ts'
import { batchFilesModule } from './modules/batch-files/routes.ts'
import { deletedBillingKinds } from './modules/billing/restore.ts'
import { billingModule, paymentsModule } from './modules/billing/routes.ts'
import { billingBatchesModule } from './modules/billing-batches/routes.ts'
import { boardsModule } from './modules/boards/routes.ts'
import { clientRecordsModule } from './modules/clients/record-routes.ts'
import { deletedClientKinds } from './modules/clients/restore.ts'
import { clientsModule } from './modules/clients/routes.ts'
import { deletedCollaboratorKinds } from './modules/collaborators/restore.ts'
import { collaboratorsModule } from './modules/collaborators/routes.ts'
import { configModule } from './modules/config/routes.ts'
import { criticalCallsModule } from './modules/critical-calls/routes.ts'
import { csvLoadsModule } from './modules/csv-loads/routes.ts'
import { deletedRecordsModule } from './modules/deleted-records/routes.ts'
import type { DeletedKind } from './modules/deleted-records/service.ts'
import { deletionUndo } from './modules/deleted-records/undo.ts'
import { deliveriesModule } from './modules/deliveries/routes.ts'
import { deletedDocumentKind } from './modules/documents/restore.ts'
import { documentsModule } from './modules/documents/routes.ts'
import { downtimeModule } from './modules/downtime/routes.ts'
import { draftsModule } from './modules/drafts/routes.ts'
import { freezerModule, specLocationsModule } from './modules/freezer/routes.ts'
import { boxUndo, locationUndo } from './modules/freezer/undo.ts'
import { homeModule, homePracticeModule } from './modules/home/routes.ts'
import { deletedInstrumentKind } from './modules/instrument-records/restore.ts'
import { instrumentsModule } from './modules/instrument-records/routes.ts'
import { instrumentResultsModule } from './modules/instrument-results/routes.ts'
import { reviewUndo } from './modules/instrument-results/undo.ts'
import { instrumentWorkModule } from './modules/instruments/routes.ts'
import { deletedInterfaceKind } from './modules/interfaces/restore.ts'
import { interfaceMessagesModule, interfacesModule } from './modules/interfaces/routes.ts'
import { issuesModule } from './modules/issues/routes.ts'
import { jobsModule } from './modules/jobs/routes.ts'
import { labNotesModule } from './modules/lab-notes/routes.ts'
import { testsModule } from './modules/lab-tests/routes.ts'
import { labelsModule } from './modules/labels/routes.ts'
import { labsModule } from './modules/labs/routes.ts'
import { requisitionMoveModule } from './modules/life-cycle/routes.ts'
import { statusUndo } from './modules/life-cycle/undo.ts'
import { listSettingsModule } from './modules/list-settings/routes.ts'
import { lookupsModule } from './modules/lookups/routes.ts'
import { notificationsModule } from './modules/notifications/routes.ts'
import { patientsModule } from './modules/patients/routes.ts'
import { deletedPhysicianKinds } from './modules/physicians/restore.ts'
import { physiciansModule } from './modules/physicians/routes.ts'
import { portalOrdersModule } from './modules/portal-orders/routes.ts'
import { qualityControlModule } from './modules/quality-control/routes.ts'
import { quickJumpModule } from './modules/quick-jump/routes.ts'
import { reflexModule } from './modules/reflex/routes.ts'
import {
  insightsModule,
  inspectionPacksModule,
  miscReportsModule,
  qaReportsModule,
  qualityMonthModule,
  summaryReportsModule,
} from './modules/report-pages/routes.ts'
import { reportsModule } from './modules/reports/routes.ts'
import { requisitionDetailModule, requisitionRecordModule } from './modules/requisition-detail/routes.ts'
import { requisitionCreateModule } from './modules/requisition-entry/create-routes.ts'
import { requisitionEditModule } from './modules/requisition-entry/edit-routes.ts'
import { patientMergesModule } from './modules/requisition-entry/merge-routes.ts'
import { patientChangesModule } from './modules/requisition-entry/patient-change-routes.ts'
import { deletedRequisitionKind } from './modules/requisition-entry/restore.ts'
import { requisitionCellModule } from './modules/requisition-list/cell-routes.ts'
import { requisitionDownloadModule } from './modules/requisition-list/download-routes.ts'
import { requisitionListModule } from './modules/requisition-list/routes.ts'
import { requisitionScansModule } from './modules/requisition-scans/routes.ts'
import { deletedSalesKind } from './modules/sales/restore.ts'
import { salesModule } from './modules/sales/routes.ts'
import { scansModule } from './modules/scans/routes.ts'
import { schedulesModule } from './modules/schedules/routes.ts'
import { serialResultsModule } from './modules/serial-results/routes.ts'
import { sessionModule } from './modules/session/routes.ts'
import { signOutModule } from './modules/sign-out/routes.ts'
import { deletedSmartViewKind } from './modules/smart-filters/restore.ts'
import { smartFiltersModule } from './modules/smart-filters/routes.ts'
import { specimensModule } from './modules/specimens/routes.ts'
import { receiptUndo } from './modules/specimens/undo.ts'
import { deletedTargetKind } from './modules/turnaround/restore.ts'
import { turnaroundModule } from './modules/turnaround/routes.ts'
import { undoModule } from './modules/undo/routes.ts'
import type { UndoKind } from './modules/undo/service.ts'
import { deletedUserKind } from './modules/users/restore.ts'
import { usersModule } from './modules/users/routes.ts'
import { viewAlertsModule } from './modules/view-alerts/routes.ts'
import { webhooksModule } from './modules/webhooks/routes.ts'
import type { Module } from './platform/http/implement.ts'

/** Every kind of record that can be restored, listed by hand. */
export const allDeletedKinds: readonly DeletedKind[] = [
  deletedRequisitionKind,
  deletedDocumentKind,
  ...deletedBillingKinds,
  ...deletedClientKinds,
  ...deletedPhysicianKinds,
  ...deletedCollaboratorKinds,
  deletedSalesKind,
  deletedUserKind,
  deletedSmartViewKind,
  deletedInstrumentKind,
  deletedInterfaceKind,
  deletedTargetKind,
]

/** Every kind of action that can be undone, listed by hand. */
const allUndoKinds = [
  statusUndo,
  deletionUndo(allDeletedKinds),
  locationUndo,
  boxUndo,
  receiptUndo,
  reviewUndo,
] as readonly UndoKind[]

/** Every module of the product, listed by hand. */
export const modules: Module[] = [
  configModule,
  sessionModule,
  usersModule,
  lookupsModule,
  labsModule,
  turnaroundModule,
  jobsModule,
  batchFilesModule,
  csvLoadsModule,
  requisitionScansModule,
  clientsModule,
  clientRecordsModule,
  physiciansModule,
  collaboratorsModule,
  notificationsModule,
  quickJumpModule,
  scansModule,
  salesModule,
  smartFiltersModule,
  listSettingsModule,
  draftsModule,
  requisitionListModule,
  requisitionMoveModule,
  requisitionCellModule,
  requisitionDownloadModule,
  requisitionDetailModule,
  testsModule,
  documentsModule,
  issuesModule,
  labNotesModule,
  serialResultsModule,
  requisitionRecordModule,
  specimensModule,
  specLocationsModule,
  freezerModule,
  labelsModule,
  reportsModule,
  signOutModule,
  qaReportsModule,
  summaryReportsModule,
  miscReportsModule,
  inspectionPacksModule,
  qualityMonthModule,
  insightsModule,
  requisitionCreateModule,
  requisitionEditModule,
  patientChangesModule,
  patientMergesModule,
  patientsModule,
  deliveriesModule,
  billingModule,
  paymentsModule,
  billingBatchesModule,
  instrumentsModule,
  instrumentResultsModule,
  instrumentWorkModule,
  autoverificationModule,
  reflexModule,
  qualityControlModule,
  criticalCallsModule,
  deletedRecordsModule(allDeletedKinds),
  undoModule(allUndoKinds),
  accessLogModule,
  accessReviewModule,
  homeModule,
  interfacesModule,
  interfaceMessagesModule,
  apiClientsModule,
  webhooksModule,
  homePracticeModule,
  portalOrdersModule,
  viewAlertsModule,
  schedulesModule,
  boardsModule,
  downtimeModule,
]
