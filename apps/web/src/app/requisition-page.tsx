import { findTab, tabsFor } from '@lis/contract/requisitions/tabs.ts'
import { Navigate, useParams } from 'react-router'
import { RequisitionDetailPage, type TabPanels } from '../features/requisition-detail/requisition-detail-page.tsx'
import { useRole } from '../lib/session.ts'
import { lazyPart } from '../ui/lazy-part.tsx'

/** The content of each tab of a requisition, from its feature. */
const panels: TabPanels = {
  view: lazyPart(async () => (await import('../features/requisition-detail/view-tab.tsx')).ViewTab),
  tests: lazyPart(async () => (await import('../features/lab-tests/tests-tab.tsx')).TestsTab),
  issues: lazyPart(async () => (await import('../features/issues/issues-tab.tsx')).IssuesTab),
  status: lazyPart(async () => (await import('../features/life-cycle/status-tab.tsx')).StatusTab),
  reportsDelivery: lazyPart(async () => (await import('../features/reports/reports-tab.tsx')).ReportsTab),
  activity: lazyPart(async () => (await import('../features/requisition-detail/activity-tab.tsx')).ActivityTab),
  patientHistory: lazyPart(
    async () => (await import('../features/serial-results/serial-results-tab.tsx')).SerialResultsTab,
  ),
  labNotes: lazyPart(async () => (await import('../features/lab-notes/lab-notes-tab.tsx')).LabNotesTab),
  specimens: lazyPart(async () => (await import('../features/specimens/specimens-tab.tsx')).SpecimensTab),
  locations: lazyPart(async () => (await import('../features/specimens/locations-tab.tsx')).LocationsTab),
  billing: lazyPart(async () => (await import('../features/billing/billing-tab.tsx')).BillingTab),
  payments: lazyPart(async () => (await import('../features/billing/payments-tab.tsx')).PaymentsTab),
}

/** An unknown tab redirects to the first one (DETAIL-024); a tab that the role lacks is refused. */
export const RequisitionPage = () => {
  const { id, tabSlug } = useParams()
  const role = useRole()
  const tab = findTab(tabSlug)
  if (!tab) return <Navigate to={`/requisitions/${id}/show`} replace />
  if (!tabsFor(role).includes(tab)) return <Navigate to="/403" replace />
  return <RequisitionDetailPage tab={tab} panels={panels} />
}
