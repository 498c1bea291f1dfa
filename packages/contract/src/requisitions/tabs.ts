import { can } from '../access/permissions.ts'
import type { Role } from '../access/roles.ts'

/** The tabs of a requisition's page, in their order: the slug of the address and what people read. */
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

/** The tabs that a role has; clients and collaborators have the restricted list. */
export const tabsFor = (role: Role): RequisitionTab[] =>
  (Object.keys(requisitionTabs) as RequisitionTab[]).filter((tab) => can(role, `requisitionTabs.${tab}`))

/** What a slug opens: 'view' without one, and null for one that does not exist. Whether the role has the tab is another question. */
export const findTab = (slug = 'view'): RequisitionTab | null =>
  Object.hasOwn(requisitionTabs, slug) ? (slug as RequisitionTab) : null
