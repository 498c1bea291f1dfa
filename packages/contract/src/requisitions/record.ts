import { z } from 'zod'
import { list, page } from '../kit/envelope.ts'
import { listQuery } from '../kit/list-query.ts'
import { byId, get } from '../kit/route.ts'
import { flag01 } from '../validation.ts'

// Derived from a requisition: its history, its fail and pass codes, and its checklist.

const id = z.number().int()
const time = z.iso.datetime({ offset: true })
/** `zone` is set for a time that is not shown in the laboratory's time zone. */
const entries = z.array(z.object({ key: z.string(), value: z.string(), zone: z.string().optional() }))

const requisitionHistory = z.object({
  id,
  modifiedDate: time,
  reqActionCode: z.string(),
  reqActionDesc: z.string(),
  modifiedByName: z.string(),
  reason: z.string().nullable(),
  newData: entries,
  oldData: entries,
})
export type RequisitionHistory = z.infer<typeof requisitionHistory>

/** A fail or pass code of the requisition. */
const requisitionReason = z.object({
  reasonId: id,
  reasonTypeCode: z.enum(['FAIL', 'PASS']),
  failCode: z.string().nullable(),
  failDesc: z.string().nullable(),
  passCode: z.string().nullable(),
  passDesc: z.string().nullable(),
})
export type RequisitionReason = z.infer<typeof requisitionReason>

const checklistCodes = [
  'openIssues',
  'clientZone',
  'failCodes',
  'hasTest',
  'hasReceivedSpecimen',
  'resultsComplete',
  'hasReport',
  'demographicQcPassed',
  'hasReleasedReport',
  'hasBillType',
  'hasIcd',
  'hasPrimaryInsurance',
] as const

/** One line of 'What stops it going out'. */
const checklistLine = z.object({
  code: z.enum(checklistCodes),
  isDone: flag01,
  title: z.string(),
  detail: z.string(),
  /** The tab where it can be fixed; the client's page for its time zone. */
  tabSlug: z.string().nullable(),
})
export type ChecklistLine = z.infer<typeof checklistLine>

export const requisitionRecordRoutes = {
  history: get('requisitions/:id/req_hists', {
    access: 'requisitionTabs.activity',
    summary: 'Newest first; filter reqActionCode STATUS for status moves only',
    params: byId,
    query: listQuery({ sort: ['id', 'modifiedDate'], filter: ['reqActionCode'], defaultPerPage: 10 }),
    reply: page(requisitionHistory),
  }),
  reasons: get('requisitions/:id/req_reasons', {
    access: 'requisitionTabs.status',
    params: byId,
    reply: list(requisitionReason),
  }),
  checklist: get('requisitions/:id/checklist', {
    access: 'requisitions.edit',
    summary: 'What blocks the requisition, by the rules of the life cycle',
    params: byId,
    reply: list(checklistLine),
  }),
}
