import { resourceColumns } from './resources.ts'

/** The columns of a list by name: `columns` in standard order, of which `hidden` are hidden until chosen. */
export interface ListColumns {
  columns: readonly string[]
  /** Columns that cannot be hidden: the record's id, its name and a patient's birth date. */
  required: readonly string[]
  hidden?: readonly string[]
  /** Columns that stay at the left edge. */
  pinned?: readonly string[]
  /** The sort field of 'Newest first', where the list is not in that order anyway. */
  newest?: string
  /** Sort fields that are not also the name of a column. */
  sorts?: readonly string[]
}

const identity = ['reqId', 'patientLastName', 'patientDob']
const resulted = ['partialReport', 'partialReleased', 'collection', 'testCodes', 'tat']
const released = ['client', 'physician', 'status', 'partialReport', 'partialReleased', 'deliveryMethod']

/** One kind of value can have another heading in another tab; only one of them is offered. */
const sameValue = [
  ['status', 'currentStatus'],
  ['physician', 'orderingPhysician'],
  ['collected', 'timeCollected', 'collection'],
  ['received', 'timeReceived'],
  ['salesRep', 'saleRep'],
  ['testCodes', 'testOrdered'],
  ['billTo', 'billToType'],
]
/** Offered in every tab of the laboratory, hidden until chosen. */
const extras = [
  'status',
  'flag',
  'client',
  'physician',
  'collaborator',
  'collected',
  'received',
  'logged',
  'testCodes',
  'tat',
  'due',
  'late',
  'partialReport',
  'partialReleased',
  'reportState',
  'sex',
  'age',
  'deliveryMethod',
  'latestMethod',
  'latestDate',
  'latestBy',
  'salesRep',
  'billTo',
  'insurance',
]
const requisitionSorts = [
  'reqID',
  'reqStatusDesc',
  'physLastName',
  'clientName',
  'dateCollected',
  'salesRepCode',
  'reqBillTypeDesc',
  'dateReceived',
  'dateLogged',
  'patientGenderDesc',
  'latestDeliveryDate',
  'dueDate',
  'willBeLate',
]

const requisitionTab = (own: readonly string[], others: readonly string[] = extras) => {
  const shown = [...identity, ...own]
  const isShown = (name: string) =>
    (sameValue.find((names) => names.includes(name)) ?? [name]).some((same) => shown.includes(same))
  const hidden = others.filter((name) => !isShown(name))
  // What is fixed at the right edge stays last.
  const isAtEdge = (name: string) => name === 'report' || name === 'issues'
  const columns = [...shown.filter((name) => !isAtEdge(name)), ...hidden, ...shown.filter(isAtEdge)]
  return {
    columns,
    hidden,
    required: identity,
    pinned: ['reqId', 'patientLastName'],
    sorts: requisitionSorts,
    newest: 'reqID',
  }
}

/** Every list whose columns a user can choose, by screen: the `smartScreen` of its views. */
export const listColumns = {
  'requisitions/All': requisitionTab([
    'currentStatus',
    'physician',
    'client',
    'collected',
    'saleRep',
    'testCodes',
    'billToType',
    'flag',
    'notify',
    'issues',
  ]),
  'requisitions/Logged': requisitionTab(['collected', 'received', 'logged', 'testCodes', 'issues']),
  'requisitions/Accessioned': requisitionTab([
    'collaborator',
    'client',
    'orderingPhysician',
    'sex',
    'age',
    'testOrdered',
    'timeCollected',
    'timeReceived',
    'passCodes',
    'flag',
  ]),
  'requisitions/Processing': requisitionTab([
    'status',
    'sex',
    'collected',
    'received',
    'logged',
    'testCodes',
    'issues',
  ]),
  'requisitions/Resulted': requisitionTab(resulted),
  // The turnaround is last, so that the columns to work on need no scrolling.
  'requisitions/Reported': requisitionTab([
    'partialReport',
    'partialReleased',
    'collection',
    'testCodes',
    'demographicQc',
    'flag',
    'tat',
  ]),
  // The report in the row is for clients and physicians.
  'requisitions/Released': requisitionTab([...released, 'report']),
  'requisitions/Delivered': requisitionTab([...released, 'latestMethod', 'latestDate', 'latestBy', 'billTo', 'report']),
  'requisitions/Billing': requisitionTab(['billTo', 'insurance', 'salesRep', 'status', 'balance']),
  'requisitions/AllForClient': requisitionTab(['currentStatus', 'physician', 'collected', 'testCodes', 'report'], []),
  'requisitions/AllForPhysician': requisitionTab(['currentStatus', 'client', 'collected', 'testCodes', 'report'], []),
  'billing/batch': {
    columns: ['id', 'billSendDate', 'recordCount', 'totals', 'sendStatusDesc', 'createByName', 'open', 'download'],
    required: ['id'],
    pinned: ['id'],
  },
  ...resourceColumns,
  deliveries: {
    columns: [
      'reqId',
      'patientName',
      'clientName',
      'to',
      'transmitMethodCode',
      'deliveryState',
      'answer',
      'requestedDate',
      'requestedByName',
      'report',
      'versionNo',
      'action',
    ],
    required: ['reqId', 'patientName'],
    pinned: ['reqId'],
  },
  'freezer-specs': {
    columns: [
      'freezer',
      'shelf',
      'rack',
      'box',
      'slot',
      'reqId',
      'client',
      'physician',
      'patient',
      'collected',
      'received',
    ],
    required: ['reqId', 'patient'],
    sorts: ['sampleStorageCode', 'clientName', 'physName', 'patientLastName', 'dateCollected', 'dateReceived'],
  },
  bulk_csv_uploader: {
    columns: ['id', 'loadDate', 'loadFileTypeDesc', 'totalCount', 'counts', 'loadByName'],
    required: ['id'],
    pinned: ['id'],
  },
  bulk_report_uploader: {
    columns: ['id', 'loadDate', 'batchTypeDesc', 'rate', 'loadByName'],
    required: ['id'],
    pinned: ['id'],
  },
  'patient-access': {
    columns: ['accessDate', 'userName', 'userRoleCode', 'route', 'reqIds'],
    required: ['accessDate', 'userName'],
  },
  deleted: {
    columns: ['kind', 'record', 'deletedDate', 'deletedBy', 'restore'],
    required: ['kind', 'record'],
  },
} satisfies Record<string, ListColumns>

export type ListScreen = keyof typeof listColumns
/** A screen of several tabs has settings of its own: which tab was open. */
export type SettingsScreen = ListScreen | 'requisitions'

/** The columns of a screen; 'requisitions' stands for its first tab. Undefined for an unknown screen. */
export const columnsOfScreen = (screen: string): ListColumns | undefined =>
  Object.hasOwn(listColumns, screen)
    ? listColumns[screen as ListScreen]
    : screen === 'requisitions'
      ? listColumns['requisitions/All']
      : undefined
