import type { RequisitionView } from '@lis/contract/requisitions/views.ts'

const identity = ['reqId', 'patient', 'dob'] as const
const resulted = ['partialReport', 'partialReleased', 'collection', 'testCodes', 'tat'] as const
const released = ['client', 'physician', 'status', 'partialReport', 'partialReleased', 'deliveryMethod'] as const

/** The columns of each view, in the order of the specification. */
const layouts = {
  All: [
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
  ],
  Logged: ['collected', 'received', 'logged', 'testCodes', 'issues'],
  Accessioned: [
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
  ],
  Processing: ['status', 'sex', 'collected', 'received', 'logged', 'testCodes', 'issues'],
  Resulted: resulted,
  // The turnaround is last, so that the columns to work on need no scrolling.
  Reported: ['partialReport', 'partialReleased', 'collection', 'testCodes', 'demographicQc', 'flag', 'tat'],
  // The report in the row is for clients and physicians.
  Released: [...released, 'report'],
  Delivered: [...released, 'latestMethod', 'latestDate', 'latestBy', 'billTo', 'report'],
  Billing: ['billTo', 'insurance', 'salesRep', 'status', 'balance'],
  AllForClient: ['currentStatus', 'physician', 'collected', 'testCodes', 'report'],
  AllForPhysician: ['currentStatus', 'client', 'collected', 'testCodes', 'report'],
} as const satisfies Record<Exclude<RequisitionView, 'BillingBatch'>, readonly string[]>

type LayoutView = keyof typeof layouts
export type ColumnName = (typeof identity)[number] | (typeof layouts)[LayoutView][number]

/** The columns of a view: the requisition's identity, then the view's own. */
export const columnNames = (view: LayoutView): ColumnName[] => [...identity, ...layouts[view]]
