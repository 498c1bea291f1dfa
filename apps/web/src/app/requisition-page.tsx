import { lazy } from 'react'
import {
  RequisitionDetailPage,
  type TabPanel,
  type TabPanels,
} from '../features/requisition-detail/requisition-detail-page.tsx'

const tab = (load: () => Promise<TabPanel>): TabPanel => lazy(async () => ({ default: await load() }))

/** What stands behind each tab of a requisition; every feature brings its own. */
const panels: TabPanels = {
  view: tab(async () => (await import('../features/requisition-detail/view-tab.tsx')).ViewTab),
  tests: tab(async () => (await import('../features/tests/tests-tab.tsx')).TestsTab),
  issues: tab(async () => (await import('../features/issues/issues-tab.tsx')).IssuesTab),
  status: tab(async () => (await import('../features/requisition-status/status-tab.tsx')).StatusTab),
  reportsDelivery: tab(async () => (await import('../features/reports/reports-tab.tsx')).ReportsTab),
  activity: tab(async () => (await import('../features/requisition-activity/activity-tab.tsx')).ActivityTab),
  patientHistory: tab(
    async () => (await import('../features/patient-history/patient-history-tab.tsx')).PatientHistoryTab,
  ),
  labNotes: tab(async () => (await import('../features/lab-notes/lab-notes-tab.tsx')).LabNotesTab),
  specimens: tab(async () => (await import('../features/specimens/specimens-tab.tsx')).SpecimensTab),
  locations: tab(async () => (await import('../features/specimens/locations-tab.tsx')).LocationsTab),
  billing: tab(async () => (await import('../features/billing/billing-tab.tsx')).BillingTab),
  payments: tab(async () => (await import('../features/billing/payments-tab.tsx')).PaymentsTab),
}

export const RequisitionPage = () => <RequisitionDetailPage panels={panels} />
