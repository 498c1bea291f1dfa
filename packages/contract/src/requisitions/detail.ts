import { z } from 'zod'
import { one } from '../kit/envelope.ts'
import { byId, get } from '../kit/route.ts'
import { flag01 } from '../validation.ts'
import { statusCodes } from './status.ts'

const id = z.number().int()
const time = z.iso.datetime({ offset: true })
const text = z.string().nullable()

/** One requisition as its page shows it; fields that the user may not see are left out by the server. */
const requisitionDetail = z.object({
  id,
  /** The accession number. */
  reqId: id,
  reqStatusCode: z.enum(statusCodes as [string, ...string[]]),
  reqStatusDesc: z.string(),
  /** Empty while the requisition is still in the laboratory. */
  reqBillStatusDesc: text,
  sourceReqId: id.nullable(),
  discrepancyMsg: text,
  legacyIcdNote: text,
  /** JSON text: {"salesReps":[{"salesId":1,"salesRepCode":"AB1"}]}. */
  salesJson: z.string(),

  patientId: id,
  /** The clinical history has the id of its requisition. */
  patientHistId: id,
  patientFirstName: z.string(),
  patientMiddleName: text,
  patientLastName: z.string(),
  patientDob: z.iso.date(),
  patientGenderCode: z.string(),
  patientGenderDesc: z.string(),
  patientAge: z.number().int(),

  clientId: id,
  clientName: z.string(),
  legacyClientId: z.string(),
  /** TZNA when the client's zone is not known. */
  clientTz: z.string(),
  colaId: id,
  colaName: z.string(),
  labId: id,
  labName: z.string(),
  labTz: z.string(),
  labTzAbbr: z.string(),
  orderingClientPhysId: id,
  physId: id,
  physFirstName: z.string(),
  physLastName: z.string(),
  physTitle: z.string(),
  copyToClientId: id.nullable(),
  copyToClientName: text,
  copyToClientPhysId: id.nullable(),
  copyToPhysId: id.nullable(),
  copyToPhysFirstName: text,
  copyToPhysLastName: text,
  eventId: id,
  eventName: z.string(),

  extOrderId: text,
  extAccessionId: text,
  isFasting: flag01.nullable(),
  dateCollected: time,
  /** Ordered before the collection: `dateCollected` is the time of the order until somebody enters it. */
  isToCollect: flag01,
  collectedTz: z.string(),
  collectedTzAbbr: z.string(),
  /** HH:mm, 24 hours. */
  timeCentrifuged: text,
  collectCode: text,
  collectDesc: text,
  collectedBy: text,
  dateReceived: time.nullable(),
  dateLogged: time,

  cryoFlag: text,
  cryoPrintNbr: z.number().int(),
  /** Separated by commas. */
  testCodes: z.string(),
  /** The sixth bar-code label has the suffix DP. */
  isShowDp: flag01,
  isDownloadable: flag01,
  latestReportedDate: time.nullable(),
  isDemQcPass: flag01,
  isSendNotif: flag01,
  reqBillTypeCode: text,
  reqBillTypeDesc: text,
  /** Ids of flags, separated by commas. */
  flag: z.string(),
  /** Issues that are still open. */
  issueCount: z.number().int(),
  version: z.number().int(),
})
export type RequisitionDetail = z.infer<typeof requisitionDetail>

export const requisitionDetailRoutes = {
  one: get('requisitions/:id', { access: 'requisitions.open', params: byId, reply: one(requisitionDetail) }),
}
