import { issueRoutes } from '@lis/contract/issues.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { getIssue, listIssues, listWorkLogs } from './queries.ts'
import { addWorkLog, createIssue, setIssueStatus } from './service.ts'

export const issuesModule = implement(issueRoutes, {
  list: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listIssues(db, actor, params.id), message: '' }
  },
  create: async (context) => ({
    data: await createIssue(context, context.params.id, context.body),
    message: messages.created,
  }),
  setStatus: async (context) => {
    const { id, issueId } = context.params
    const status = context.body.issueStatusCode
    const data = await setIssueStatus(context, id, issueId, status, expectedVersion(context.request))
    return { data, message: messages.statusUpdated }
  },
  workLogs: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    await getIssue(db, actor, params.id, params.issueId)
    return { data: await listWorkLogs(db, params.issueId), message: '' }
  },
  addWorkLog: async (context) => ({
    data: await addWorkLog(context, context.params.id, context.params.issueId, context.body.issueWorkLog),
    message: messages.created,
  }),
})
