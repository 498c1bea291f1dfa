import { tabOf, tabsFor } from '@lis/contract/requisitions/tabs.ts'
import { Navigate, useParams } from 'react-router'
import { RequisitionDetailPage, type TabPanels } from '../features/requisition-detail/requisition-detail-page.tsx'
import { useRole } from '../lib/session.ts'
import { partOf } from '../ui/part.tsx'

/** What stands behind each tab of a requisition; every feature brings its own. */
const panels: TabPanels = {
  view: partOf(async () => (await import('../features/requisition-detail/view-tab.tsx')).ViewTab),
  tests: partOf(async () => (await import('../features/lab-tests/tests-tab.tsx')).TestsTab),
  issues: partOf(async () => (await import('../features/issues/issues-tab.tsx')).IssuesTab),
  status: partOf(async () => (await import('../features/life-cycle/status-tab.tsx')).StatusTab),
  reportsDelivery: partOf(async () => (await import('../features/reports/reports-tab.tsx')).ReportsTab),
  activity: partOf(async () => (await import('../features/requisition-detail/activity-tab.tsx')).ActivityTab),
  patientHistory: partOf(
    async () => (await import('../features/serial-results/serial-results-tab.tsx')).SerialResultsTab,
  ),
  labNotes: partOf(async () => (await import('../features/lab-notes/lab-notes-tab.tsx')).LabNotesTab),
  specimens: partOf(async () => (await import('../features/specimens/specimens-tab.tsx')).SpecimensTab),
  locations: partOf(async () => (await import('../features/specimens/locations-tab.tsx')).LocationsTab),
  billing: partOf(async () => (await import('../features/billing/billing-tab.tsx')).BillingTab),
  payments: partOf(async () => (await import('../features/billing/payments-tab.tsx')).PaymentsTab),
}

/** An address whose tab does not exist is corrected to that of the first (DETAIL-024); one that the role lacks is refused. */
export const RequisitionPage = () => {
  const { id, tabSlug } = useParams()
  const role = useRole()
  const tab = tabOf(tabSlug)
  if (!tab) return <Navigate to={`/requisitions/${id}/show`} replace />
  if (!tabsFor(role).includes(tab)) return <Navigate to="/403" replace />
  return <RequisitionDetailPage tab={tab} panels={panels} />
}
