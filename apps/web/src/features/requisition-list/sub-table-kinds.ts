import { canAll, type Permission, resultReadPermissions } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'

export type SubTableKind = 'specimens' | 'documents' | 'results' | 'resultedTests' | 'releasedReports'

/** The sub-table by view (LIST-G22). */
const kinds: Partial<Record<RequisitionView, SubTableKind>> = {
  All: 'specimens',
  Logged: 'documents',
  Accessioned: 'specimens',
  Processing: 'results',
  Resulted: 'resultedTests',
  Reported: 'resultedTests',
  Released: 'releasedReports',
  Delivered: 'releasedReports',
  Billing: 'documents',
  AllForClient: 'releasedReports',
  AllForPhysician: 'releasedReports',
}

/** The permissions that its queries require. */
const needs: Record<SubTableKind, readonly Permission[]> = {
  specimens: ['requisitionTabs.specimens'],
  documents: ['documents.list'],
  results: ['requisitionTabs.tests'],
  resultedTests: resultReadPermissions,
  releasedReports: ['reports.view'],
}

export const subTableKind = (view: RequisitionView, role: Role): SubTableKind | undefined => {
  const kind = kinds[view]
  return kind && canAll(role, needs[kind]) ? kind : undefined
}
