import { can } from '../access/permissions.ts'
import type { Role } from '../access/roles.ts'

/** How a requisition gets from one status to the next. */
export type MoveKind = 'BULK' | 'AUTO' | 'DELIVERY' | 'BACK' | 'BILLINGJOB' | 'BILLINGBATCH'

/** What must be true before a move; the service checks it, `refusals` has the message. */
export type MoveCondition =
  | 'hasTest'
  | 'hasReceivedSpecimen'
  | 'isCollected' // of an order that was placed before the collection
  | 'resultsComplete'
  | 'hasReport'
  | 'demographicQcPassed'
  | 'demographicQcNotReopened' // of what has passed it before
  | 'hasReleasedReport'
  | 'qualityControlSettled' // QC-06
  | 'signedWhereRequired' // SOUT-02
  | 'releasedReportsDelivered'
  | 'hasBillType'
  | 'hasIcd'
  | 'hasPrimaryInsurance' // asked only of bill types that are paid by insurance
  | 'noSampleStored'
  | 'noReportReleased'
  | 'noPayment'
  | 'notBilled'

/** The stages of the laboratory; everything after them is shown as 'Billed'. */
type Stage = 'Logged' | 'Accessioned' | 'Processing' | 'Resulted' | 'Reported' | 'Released' | 'Delivered'

interface StatusRow {
  code: string
  description: string
  group: 'LAB' | 'Billed'
  tab: Stage | 'Billing'
  sortOrder: number
  /** The regular next status, and how it is reached; null where only the status select changes it. */
  next: string | null
  nextBy: MoveKind | null
  needs: readonly MoveCondition[]
  /** Requisition, patient, history and tests may be changed. */
  editable: boolean
  deletable: boolean
}

const billable = ['hasBillType', 'hasIcd', 'hasPrimaryInsurance'] as const

const lab = { group: 'LAB', needs: [], editable: false, deletable: false } as const
const billed = { ...lab, group: 'Billed', tab: 'Billing', next: null, nextBy: null } as const

/** The life cycle (1§4, decisions §2), in its order. */
export const requisitionStatuses = [
  {
    ...lab,
    code: 'LOG',
    description: 'Logged',
    tab: 'Logged',
    sortOrder: 10,
    next: 'ACC',
    nextBy: 'BULK',
    needs: ['hasTest', 'hasReceivedSpecimen', 'isCollected'],
    editable: true,
    deletable: true,
  },
  {
    ...lab,
    code: 'ACC',
    description: 'Accessioned',
    tab: 'Accessioned',
    sortOrder: 20,
    next: 'PROCESS',
    nextBy: 'BULK',
    editable: true,
    deletable: true,
  },
  {
    ...lab,
    code: 'PROCESS',
    description: 'Processing',
    tab: 'Processing',
    sortOrder: 30,
    next: 'RESULT',
    nextBy: 'AUTO', // no button: saving the last missing result moves it
    needs: ['resultsComplete'],
    editable: true,
  },
  {
    ...lab,
    code: 'RESULT',
    description: 'Resulted',
    tab: 'Resulted',
    sortOrder: 40,
    next: 'REPORT',
    nextBy: 'BULK',
    needs: ['hasReport'],
  },
  {
    ...lab,
    code: 'REPORT',
    description: 'Reported',
    tab: 'Reported',
    sortOrder: 50,
    next: 'RELEASE',
    nextBy: 'BULK',
    needs: ['demographicQcPassed', 'hasReleasedReport', 'qualityControlSettled', 'signedWhereRequired'],
  },
  {
    ...lab,
    code: 'RELEASE',
    description: 'Released',
    tab: 'Released',
    sortOrder: 60,
    next: 'DELIVER',
    nextBy: 'BULK',
    needs: ['demographicQcNotReopened', 'hasReleasedReport'],
  },
  {
    ...lab,
    code: 'DELIVER',
    description: 'Delivered',
    tab: 'Delivered',
    sortOrder: 70,
    next: 'READYBILL',
    nextBy: 'BILLINGJOB',
    needs: billable,
  },
  {
    ...billed,
    code: 'MISSBILL',
    description: 'Missing billing information',
    sortOrder: 80,
    next: 'READYBILL',
    nextBy: 'BILLINGJOB',
    needs: billable,
  },
  {
    ...billed,
    code: 'READYBILL',
    description: 'Ready to bill',
    sortOrder: 90,
    next: 'INBILL',
    nextBy: 'BILLINGBATCH', // a batch takes it
  },
  {
    ...billed,
    code: 'INBILL',
    description: 'In billing batch',
    sortOrder: 100,
    next: 'BILL',
    nextBy: 'BILLINGBATCH', // the batch is sent
  },
  { ...billed, code: 'BILL', description: 'Billed', sortOrder: 110 },
  { ...billed, code: 'OABILL', description: 'Billed in outside billing system', sortOrder: 120 },
  { ...billed, code: 'XEROBILL', description: 'Invoiced through accounting system', sortOrder: 130 },
  { ...billed, code: 'INVOICE', description: 'Invoice sent', sortOrder: 140 },
  { ...billed, code: 'EOB', description: 'Explanation of benefits received', sortOrder: 150 },
  { ...billed, code: 'INSPAYRECD', description: 'Insurance payment received', sortOrder: 160 },
  { ...billed, code: 'PATPAYRECD', description: 'Patient payment received', sortOrder: 170 },
  { ...billed, code: 'HOLD', description: 'Billing on hold', sortOrder: 180 },
  { ...billed, code: 'NONCOLLECT', description: 'Not collectible', sortOrder: 190 },
] as const satisfies readonly StatusRow[]

export type StatusCode = (typeof requisitionStatuses)[number]['code']
export type RequisitionStatus = StatusRow & { code: StatusCode; next: StatusCode | null }

export const statusCodes = requisitionStatuses.map(({ code }) => code)
const byCode = new Map<string, RequisitionStatus>(requisitionStatuses.map((status) => [status.code, status]))

export const isStatusCode = (value: unknown): value is StatusCode => typeof value === 'string' && byCode.has(value)

/** Throws on an unknown code: users cannot send one, so it is a bug. */
export const statusOf = (code: StatusCode): RequisitionStatus => {
  const status = byCode.get(code)
  if (status === undefined) throw new Error(`No requisition status ${code}`)
  return status
}

/** The display text: every billing stage is 'Billed'. */
export const displayStatus = (code: StatusCode): string => {
  const { group, description } = statusOf(code)
  return group === 'Billed' ? 'Billed' : description
}

/** These do not say whether the bill was sent; the status before them does. */
export const undecidedCodes: readonly StatusCode[] = ['HOLD', 'NONCOLLECT']

/** The bill was sent, by a batch or outside the system. */
export const billedCodes: readonly StatusCode[] = requisitionStatuses
  .filter(({ sortOrder, code }) => sortOrder >= statusOf('BILL').sortOrder && !undecidedCodes.includes(code))
  .map(({ code }) => code)

export const nextStatus = (code: StatusCode): StatusCode | null => statusOf(code).next

export interface Move {
  from: StatusCode
  to: StatusCode
  how: MoveKind
  needs: readonly MoveCondition[]
  /** Recorded in the history. */
  reason?: string
}

/** Every move except the status select, which lets a super admin set any status. */
export const moves: readonly Move[] = [
  ...[...byCode.values()].flatMap(({ code, next, nextBy, needs }) =>
    next !== null && nextBy !== null ? [{ from: code, to: next, how: nextBy, needs }] : [],
  ),
  { from: 'RELEASE', to: 'DELIVER', how: 'DELIVERY', needs: ['hasReleasedReport', 'releasedReportsDelivered'] },
  { from: 'RELEASE', to: 'ACC', how: 'BACK', needs: [], reason: 'Returned to Accessioned' },
  // When READYBILL is refused; what is missing becomes a billing note.
  { from: 'DELIVER', to: 'MISSBILL', how: 'BILLINGJOB', needs: [] },
]

/** What the moves on the way from one status to a later one need; empty on the way back. */
export const conditionsBetween = (from: StatusCode, to: StatusCode): readonly MoveCondition[] => {
  const isOnTheWay = ({ sortOrder }: RequisitionStatus) =>
    sortOrder >= statusOf(from).sortOrder && sortOrder < statusOf(to).sortOrder
  return [...new Set([...byCode.values()].filter(isOnTheWay).flatMap(({ needs }) => needs))]
}

/** Conditions of a release that protect the patient: the status select does not skip them. */
export const neverSkipped: readonly MoveCondition[] = ['qualityControlSettled', 'signedWhereRequired']

const isReleasedIn = (code: StatusCode) =>
  statusOf(code).sortOrder >= statusOf('RELEASE').sortOrder && !undecidedCodes.includes(code)

/** From before the release, or from a status that does not say, to Released or beyond. */
export const isReleaseBySelect = (from: StatusCode, to: StatusCode): boolean => !isReleasedIn(from) && isReleasedIn(to)

export const findMove = (from: StatusCode, to: StatusCode, how: MoveKind): Move | undefined =>
  moves.find((move) => move.from === from && move.to === to && move.how === how)

/** The target of the list's 'next status' button, or null where the tab has none. */
export const bulkNextStatus = (code: StatusCode): StatusCode | null =>
  statusOf(code).nextBy === 'BULK' ? statusOf(code).next : null

/** Why a requisition cannot be moved; always names the requisition. */
export const refusals: Record<MoveCondition, (reqId: number) => string> = {
  hasTest: (reqId) => `Requisition #${reqId} has no test`,
  hasReceivedSpecimen: (reqId) => `Requisition #${reqId} has no received specimen`,
  isCollected: (reqId) =>
    `Requisition #${reqId} has no time of collection, as it was ordered before: enter Date Collected`,
  resultsComplete: (reqId) => `Requisition #${reqId} has tests without result or fail code`,
  hasReport: (reqId) => `Requisition #${reqId} has no report file`,
  demographicQcPassed: (reqId) => `Requisition #${reqId} has not passed demographic QC`,
  demographicQcNotReopened: (reqId) => `Requisition #${reqId} has not passed demographic QC`,
  hasReleasedReport: (reqId) => `Requisition #${reqId} has no report with lab QC result RELEASE`,
  qualityControlSettled: (reqId) =>
    `Requisition #${reqId} has results to be looked at again, because quality control was rejected`,
  signedWhereRequired: (reqId) =>
    `Requisition #${reqId} has no signed report, and its laboratory releases reports by signature only: sign one on Sign-out`,
  releasedReportsDelivered: (reqId) => `Requisition #${reqId} has released reports that are not delivered`,
  hasBillType: (reqId) => `Requisition #${reqId} has no bill type`,
  hasIcd: (reqId) => `Requisition #${reqId} has no ICD code`,
  hasPrimaryInsurance: (reqId) => `Requisition #${reqId} has no primary insurance`,
  noSampleStored: (reqId) => `Requisition #${reqId} has samples in a freezer: discard them first`,
  noReportReleased: (reqId) => `Requisition #${reqId} has a report that was released and can no longer be deleted`,
  noPayment: (reqId) => `Requisition #${reqId} has payments: delete them first`,
  notBilled: (reqId) => `Requisition #${reqId} is in a billing batch and can no longer be deleted`,
}

export const isEditable = (code: StatusCode) => statusOf(code).editable
export const isDeletable = (code: StatusCode) => statusOf(code).deletable
/** A requisition cannot be deleted while samples are stored, after results were released, or if that would change sums. */
export const deleteConditions: readonly MoveCondition[] = [
  'noReportReleased',
  'notBilled',
  'noPayment',
  'noSampleStored',
]

export const canEditRequisition = (role: Role, code: StatusCode) => can(role, 'requisitions.edit') && isEditable(code)
export const canEditPatient = (role: Role, code: StatusCode) => can(role, 'patients.edit') && isEditable(code)
export const canEditTests = (role: Role, code: StatusCode) => can(role, 'tests.edit') && isEditable(code)
/** A test is modified only while the requisition is in Processing. */
export const canModifyTest = (code: StatusCode) => code === 'PROCESS'
