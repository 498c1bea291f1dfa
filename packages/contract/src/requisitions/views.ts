import type { Permission } from '../access/permissions.ts'
import { can } from '../access/permissions.ts'
import type { Role } from '../access/roles.ts'
import { isStatusCode, statusOf } from './status.ts'

const labStages = ['Logged', 'Accessioned', 'Processing', 'Resulted', 'Reported', 'Released', 'Delivered'] as const

/** The views of the list by their name in the URL; `api` is the code in the API path. */
export const requisitionViews = {
  All: { label: 'All', api: 'ALL' },
  Logged: { label: 'Logged', api: 'LOG' },
  Accessioned: { label: 'Accessioned', api: 'ACC' },
  Processing: { label: 'Processing', api: 'PROCESS' },
  Resulted: { label: 'Resulted', api: 'RESULT' },
  Reported: { label: 'Reported', api: 'REPORT' },
  Released: { label: 'Released', api: 'RELEASE' },
  Delivered: { label: 'Delivered', api: 'DELIVER' },
  Billing: { label: 'Billing', api: 'BILL' },
  BillingBatch: { label: 'Billing Batch', api: null }, // reads billing/batch
  AllForClient: { label: 'All', api: 'CLIENTPHYSROLE' },
  AllForPhysician: { label: 'All', api: 'CLIENTPHYSROLE' },
} as const

export type RequisitionView = keyof typeof requisitionViews

/** The codes of `requisitions/{code}`. */
export const apiViews = [
  'ALL',
  'CLIENTPHYSROLE',
  'LOG',
  'ACC',
  'PROCESS',
  'RESULT',
  'REPORT',
  'RELEASE',
  'DELIVER',
  'BILL',
] as const
export type ApiView = (typeof apiViews)[number]

// The first view of each list is the role's default. A guest has no list at all.
const viewsByRole: Record<Role, readonly RequisitionView[]> = {
  ADM: ['All', ...labStages, 'Billing', 'BillingBatch'],
  MGMT: ['All', ...labStages, 'Billing', 'BillingBatch'],
  STF: ['All', ...labStages, 'Billing', 'BillingBatch'],
  SLS: ['All', ...labStages, 'Billing'],
  COLA: ['All', ...labStages, 'Billing'],
  CLNT: ['AllForClient', ...labStages],
  PHYS: ['AllForPhysician', ...labStages],
  BILL: ['BillingBatch', 'Billing'],
  GST: [],
}

/** The tabs of a role in display order. */
export const viewsFor = (role: Role) => viewsByRole[role]

export const defaultViewFor = (role: Role): RequisitionView => viewsByRole[role][0] ?? 'All'

/** The tab of the role that `?status=` names: by its name, or by a status code (LIST-G24). */
export const findView = (status: string | null | undefined, role: Role): RequisitionView | undefined => {
  // Every billing stage is displayed as Billed and has one tab.
  const isBilled = status === 'Billed' || (isStatusCode(status) && statusOf(status).group === 'Billed')
  const name = isBilled ? 'Billing' : status
  const views = viewsByRole[role]
  return views.find((view) => view === name) ?? views.find((view) => status && requisitionViews[view].api === status)
}

/** The view of `?status=`; the role's default if it is missing, unknown or not among the role's tabs. */
export const viewFor = (status: string | null | undefined, role: Role): RequisitionView =>
  findView(status, role) ?? defaultViewFor(role)

export type BulkAction =
  | 'nextStatus'
  | 'saveResults'
  | 'makeReports'
  | 'releaseReports'
  | 'delivery'
  | 'sendNotification'
  | 'bulkDownload'
  | 'moveBack'
  | 'printLabels'
  | 'runBilling'
  | 'delete'
  | 'exportAll'

interface BulkActionRule {
  action: BulkAction
  visibleTo: Permission
}

const nextStatus: BulkActionRule = { action: 'nextStatus', visibleTo: 'requisitions.move' }
const saveResults: BulkActionRule = { action: 'saveResults', visibleTo: 'tests.edit' }
const makeReports: BulkActionRule = { action: 'makeReports', visibleTo: 'reports.edit' }
const releaseReports: BulkActionRule = { action: 'releaseReports', visibleTo: 'reports.edit' }
const delivery: BulkActionRule = { action: 'delivery', visibleTo: 'reports.deliver' }
const sendNotification: BulkActionRule = { action: 'sendNotification', visibleTo: 'requisitions.sendNotification' }
const bulkDownload: BulkActionRule = { action: 'bulkDownload', visibleTo: 'requisitions.bulkDownload' }
const downloadOwn: BulkActionRule = { action: 'bulkDownload', visibleTo: 'requisitions.bulkDownloadOwn' }
const downloadBatches: BulkActionRule = { action: 'bulkDownload', visibleTo: 'billingBatches.download' }
const runBilling: BulkActionRule = { action: 'runBilling', visibleTo: 'billingBatches.run' }
const moveBack: BulkActionRule = { action: 'moveBack', visibleTo: 'requisitions.moveBack' }
const printLabels: BulkActionRule = { action: 'printLabels', visibleTo: 'requisitions.printLabels' }
const remove: BulkActionRule = { action: 'delete', visibleTo: 'requisitions.delete' }
const exportAll: BulkActionRule = { action: 'exportAll', visibleTo: 'requisitions.export' }
const exportBilling: BulkActionRule = { action: 'exportAll', visibleTo: 'requisitions.exportBilling' }

/** Which view offers which bulk action, and to whom (decisions §9, LIST-G9). */
const bulkActions: Record<RequisitionView, readonly BulkActionRule[]> = {
  All: [printLabels, remove, exportAll],
  Logged: [nextStatus, printLabels, remove, exportAll],
  Accessioned: [nextStatus, printLabels, remove, exportAll],
  Processing: [saveResults, printLabels, exportAll],
  Resulted: [nextStatus, makeReports, releaseReports, bulkDownload, exportAll],
  Reported: [nextStatus, releaseReports, bulkDownload, exportAll],
  Released: [nextStatus, delivery, sendNotification, bulkDownload, moveBack, exportAll],
  Delivered: [delivery, sendNotification, runBilling, bulkDownload, exportAll],
  Billing: [runBilling, exportBilling],
  BillingBatch: [downloadBatches],
  AllForClient: [downloadOwn],
  AllForPhysician: [downloadOwn],
}

export const bulkActionsFor = (view: RequisitionView, role: Role): BulkAction[] =>
  bulkActions[view].filter(({ visibleTo }) => can(role, visibleTo)).map(({ action }) => action)
