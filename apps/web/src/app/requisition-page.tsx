import { RequisitionDetailPage, type TabPanels } from '../features/requisition-detail/requisition-detail-page.tsx'
import { partOf } from '../ui/part.tsx'

/** What stands behind each tab of a requisition; every feature brings its own. */
const panels: TabPanels = {
  view: partOf(async () => (await import('../features/requisition-detail/view-tab.tsx')).ViewTab),
  tests: partOf(async () => (await import('../features/tests/tests-tab.tsx')).TestsTab),
  issues: partOf(async () => (await import('../features/issues/issues-tab.tsx')).IssuesTab),
  status: partOf(async () => (await import('../features/requisition-status/status-tab.tsx')).StatusTab),
  reportsDelivery: partOf(async () => (await import('../features/reports/reports-tab.tsx')).ReportsTab),
  activity: partOf(async () => (await import('../features/requisition-activity/activity-tab.tsx')).ActivityTab),
  patientHistory: partOf(
    async () => (await import('../features/patient-history/patient-history-tab.tsx')).PatientHistoryTab,
  ),
  labNotes: partOf(async () => (await import('../features/lab-notes/lab-notes-tab.tsx')).LabNotesTab),
  specimens: partOf(async () => (await import('../features/specimens/specimens-tab.tsx')).SpecimensTab),
  locations: partOf(async () => (await import('../features/specimens/locations-tab.tsx')).LocationsTab),
  billing: partOf(async () => (await import('../features/billing/billing-tab.tsx')).BillingTab),
  payments: partOf(async () => (await import('../features/billing/payments-tab.tsx')).PaymentsTab),
}

export const RequisitionPage = () => <RequisitionDetailPage panels={panels} />
