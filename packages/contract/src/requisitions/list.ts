import { z } from 'zod'
import { exported, list, page } from '../kit/envelope.ts'
import { listQuery } from '../kit/list-query.ts'
import { get } from '../kit/route.ts'
import { amountText } from '../payments.ts'
import { flag01 } from '../validation.ts'
import { apiViews } from './views.ts'

const time = z.iso.datetime({ offset: true })
const id = z.number().int()

/** One row of the requisition list; every view shows some of these fields. */
const requisitionRow = z.object({
  id,
  /** The accession number; the specification spells it in three ways. */
  reqID: id,
  reqId: id,
  patientId: id,
  patientFirstName: z.string(),
  patientLastName: z.string(),
  patientDob: z.iso.date(),
  patientGenderDesc: z.string(),
  patientAge: z.number().int(),
  reqStatusCode: z.string(),
  reqStatusDesc: z.string(),
  physId: id,
  physFirstName: z.string(),
  physLastName: z.string(),
  clientId: id,
  legacyClientId: z.string(),
  clientName: z.string(),
  colaId: id,
  colaName: z.string(),
  dateCollected: time,
  /** The time zone of the collection, and its abbreviation on that day. */
  collectedTz: z.string(),
  collectedTzAbbr: z.string(),
  dateReceived: time.nullable(),
  labTz: z.string(),
  labTzAbbr: z.string(),
  dateLogged: time,
  reportedStatusDate: time.nullable(),
  testCodes: z.string(),
  reqBillTypeDesc: z.string().nullable(),
  insuranceCompany: z.string().nullable(),
  /** Ids of flags, separated by commas. */
  flag: z.string(),
  issueCount: z.number().int(),
  /** Names of the departments whose issues are open, separated by commas. */
  reporterDeptcodes: z.string(),
  partialReport: flag01,
  partialRelease: flag01,
  /** Whole hours from receipt to the first release, or to now. */
  tat: z.number().int().nullable(),
  /** When the release is due by the turnaround targets; null before the receipt and without a target. */
  dueDate: time.nullable(),
  /** By now and the usual time of the stages left; 0 after the release. */
  willBeLate: flag01,
  isSendNotif: flag01,
  isDemQcPass: flag01,
  isDownloadable: flag01,
  reqPassCodes: z.array(z.object({ reasonId: id, passCode: z.string(), passDesc: z.string() })),
  clientTransmitMethodDesc: z.string(),
  latestTransmitMethodDesc: z.string().nullable(),
  latestDeliveryDate: time.nullable(),
  latestDeliveredByName: z.string().nullable(),
  salesRepCode: z.string(),
  version: z.number().int(),
  /** What is still owed, one amount per currency: in the view BILL, for those who see payments. */
  balances: z.array(z.object({ amount: amountText, currencyCode: z.string() })).optional(),
})
export type RequisitionRow = z.infer<typeof requisitionRow>

/** Sortable columns; each has an index, or is shown only in tabs that stay small. */
export const requisitionSorts = [
  'id',
  'reqID',
  'patientLastName',
  'patientDob',
  'reqStatusDesc',
  'physLastName',
  'clientName',
  'dateCollected',
  'salesRepCode',
  'testCodes',
  'reqBillTypeDesc',
  'dueDate',
  'willBeLate',
  'flag',
] as const

/** Sortable in the laboratory tabs as well: they hold only open work, so they stay small. */
export const labSorts = [
  ...requisitionSorts,
  'dateReceived',
  'dateLogged',
  'patientGenderDesc',
  'latestDeliveryDate',
  'tat',
] as const

const requisitionFilters = [
  'id',
  'search',
  'reqId',
  'patientFirstName',
  'patientLastName',
  'patientDob',
  'reqStatusCode',
  'clientId',
  'physId',
  'colaId',
  'eventId',
  'labId',
  'salesId',
  'serviceId',
  'dateCollected',
  'dateReceived',
  'dateLogged',
  'dateReported',
  'dateReleased',
  'dateDelivered',
  'dateBilled',
  'testCodes',
  'testComboCode',
  'reqBillTypeCode',
  'flag',
  'passCodes',
  'failCodes',
  'labNoteTypeCode',
  'issueDeptId',
  'hasOpenIssues',
  'dueDate',
  'willBeLate',
] as const

/** Topic of the event that makes open lists reload after requisitions have moved; it has no data. */
export const requisitionTopic = 'requisitions'

const view = z.object({ view: z.enum(apiViews) })
const listed = listQuery({ sort: labSorts, filter: requisitionFilters, defaultPerPage: 25 })

const statusCount = z.object({
  reqStatusCode: z.string(),
  reqStatusDesc: z.string(),
  reqStatusCount: z.number().int(),
})

export const requisitionListRoutes = {
  statusCount: get('requisitions/status_count', { access: 'requisitions.statusBar', reply: list(statusCount) }),
  tabCounts: get('requisitions/tab_counts', {
    access: 'requisitions.tabCounts',
    summary: "The same of the caller's own requisitions, for the tabs of clients and physicians",
    reply: list(statusCount),
  }),
  // Views are upper-case codes: digits in the same place are the id of one requisition.
  list: get('requisitions/:view(^[A-Z]+$)', {
    access: 'requisitions.list',
    params: view,
    query: listed,
    reply: page(requisitionRow),
  }),
  export: get('requisitions/:view/export', {
    isReportApi: true,
    access: 'requisitions.export',
    patientData: true,
    params: view,
    query: listed,
    reply: exported,
    makesFile: true,
  }),
}
