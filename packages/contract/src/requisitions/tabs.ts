import { can } from '../access/permissions.ts'
import type { Role } from '../access/roles.ts'

/** The tabs of a requisition's page in display order: URL slug and label. */
export const requisitionTabs = {
  view: 'View',
  issues: 'Issues',
  specimens: 'Specimens',
  locations: 'Locations',
  tests: 'Tests',
  status: 'Status',
  reportsDelivery: 'Reports/Delivery',
  activity: 'Activity',
  labNotes: 'QA Notes',
  billing: 'Billing',
  payments: 'Payments',
  patientHistory: 'Patient History',
} as const

export type RequisitionTab = keyof typeof requisitionTabs

/** The tabs of a role; clients and collaborators have a restricted list. */
export const tabsFor = (role: Role): RequisitionTab[] =>
  (Object.keys(requisitionTabs) as RequisitionTab[]).filter((tab) => can(role, `requisitionTabs.${tab}`))

/** The tab of a slug: 'view' without one, null for an unknown one. Does not check the role. */
export const findTab = (slug = 'view'): RequisitionTab | null =>
  Object.hasOwn(requisitionTabs, slug) ? (slug as RequisitionTab) : null
