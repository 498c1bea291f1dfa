import type { ReportInput } from '@lis/contract/reports-pages.ts'
import { z } from 'zod'
import { requireRequester } from '../../platform/auth/requester.ts'
import { notFound } from '../../platform/errors.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { reportCallOf } from './definition.ts'
import { definitions, type ReportKind } from './definitions.ts'
import { fileName, makeFile } from './make-file.ts'
import { readReport } from './run.ts'

/** The result of the job: the stored file, and the report whose permissions it needs. */
export const reportJobResult = z.object({
  key: z.string(),
  sha256: z.string(),
  fileName: z.string(),
  kind: z.enum(['QA', 'SUMMARY']),
  reportCode: z.string(),
})
type ReportJobResult = z.infer<typeof reportJobResult>

/** The route that requested the file. Its row in the access log was written before the file existed. */
const routeOf: Record<ReportKind, string> = { QA: 'qa_reports', SUMMARY: 'summary_reports' }

/** A report over many requisitions. Runs with the requester's permissions and scope at the time it runs. */
export const makeReportJob = defineJob<ReportInput & { kind: ReportKind; sessionId: string }>({
  kind: 'report-pages.make',
  maxSeconds: 1800,
  run: async ({ id, services, userId, progress }, { kind, sessionId, ...input }) => {
    await progress(0, 2, 'Reading')
    const definition = definitions[kind].find(({ code }) => code === input.reportCode)
    if (!definition) throw notFound('Report')
    const requester = await requireRequester(services, userId, 'reportsPages.open', ...(definition.access ?? []))
    // Like every export, the file belongs to the session that requested it.
    const actor = { ...requester, sessionId }
    const call = reportCallOf(actor, input)
    const rows = await readReport(services, definition, call)
    const kept = await services
      .fileDatabases(actor.scope)
      .transaction()
      .execute((trx) =>
        makeFile(
          { db: trx, actor, requestId: id, services },
          { definition, name: fileName(input), format: input.format, rows },
        ),
      )
    services.accessLog.record({ actor, requestId: id, method: 'JOB', route: `${routeOf[kind]}/download` })
    await progress(2, 2, 'Ready')
    return { ...kept, kind, reportCode: input.reportCode } satisfies ReportJobResult
  },
})
