import { z } from 'zod'
import { list, newId, one } from './kit/envelope.ts'
import { byId, get, idParam, post, put, repeatWindowMs } from './kit/route.ts'
import { messages } from './messages.ts'
import { flag01, optionalCode, optionalText, required, requiredId } from './validation.ts'

export const issueLabels = {
  issueCode: 'Issue Type',
  reporterDeptId: 'Reporter Department',
  resolverDeptId: 'Resolver Department',
  issueDesc: 'Description',
  issueNote: 'Note',
  issueWorkLog: 'Issue Work Log',
} as const

/** The states of an issue; only the reporter's department closes it, which is final. */
export const issueStatuses = { OPEN: 'Open', INPROG: 'In progress', RESOLVED: 'Resolved', CLOSED: 'Closed' } as const
export type IssueStatus = keyof typeof issueStatuses
const statusCodes = Object.keys(issueStatuses) as [IssueStatus, ...IssueStatus[]]

const id = z.number().int()
const time = z.iso.datetime({ offset: true })
const text = z.string().nullable()

const issue = z.object({
  id,
  issueCode: text,
  /** The same code under the specification's other name. */
  deptIssueCode: text,
  reporterDeptId: id,
  reporterDeptCode: z.string(),
  reporterDeptName: z.string(),
  resolverDeptId: id,
  resolverDeptName: z.string(),
  issueDesc: z.string(),
  issueNote: text,
  issueStatusCode: z.enum(statusCodes),
  issueStatusDesc: z.string(),
  issueStatusDate: time,
  issueUserName: text,
  issueCreateDate: time,
  issueCloseUserName: text,
  issueCloseDate: time.nullable(),
  workLogCount: z.number().int(),
  /** The user belongs to the reporter's department and may close it. */
  isClosable: flag01,
  version: id,
})
export type Issue = z.infer<typeof issue>

const issueWorkLog = z.object({
  id,
  issueWorkLog: z.string(),
  createdByUserName: text,
  workLogDate: time,
})
export type IssueWorkLog = z.infer<typeof issueWorkLog>

export const issueInput = z.object({
  issueCode: optionalCode(issueLabels.issueCode),
  /** Another name of `issueCode`. */
  deptIssueCode: optionalCode(issueLabels.issueCode),
  reporterDeptId: requiredId(issueLabels.reporterDeptId),
  resolverDeptId: requiredId(issueLabels.resolverDeptId),
  issueDesc: required(issueLabels.issueDesc, 1000),
  issueNote: optionalText(issueLabels.issueNote),
})
export type IssueInput = z.infer<typeof issueInput>
export const workLogInput = z.object({ issueWorkLog: required(issueLabels.issueWorkLog) })

const ofIssue = byId.extend({ issueId: idParam })

export const issueRoutes = {
  list: get('requisitions/:id/issues', { access: 'requisitionTabs.issues', params: byId, reply: list(issue) }),
  create: post('requisitions/:id/issues', {
    access: 'issues.add',
    repeatsWithinMs: repeatWindowMs,
    params: byId,
    body: issueInput,
    reply: newId,
  }),
  setStatus: put('requisitions/:id/issues/:issueId', {
    access: 'issues.editStatus',
    summary: "CLOSED only by a user of the reporter's department",
    params: ofIssue,
    body: z.object({ issueStatusCode: z.enum(statusCodes, { error: messages.invalid('Status') }) }),
    reply: one(issue),
  }),
  workLogs: get('requisitions/:id/issues/:issueId/work_logs', {
    access: 'requisitionTabs.issues',
    params: ofIssue,
    reply: list(issueWorkLog),
  }),
  addWorkLog: post('requisitions/:id/issues/:issueId/work_logs', {
    access: 'issues.addWorkLog',
    repeatsWithinMs: repeatWindowMs,
    params: ofIssue,
    body: workLogInput,
    reply: newId,
  }),
}
