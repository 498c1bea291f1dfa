import type { ReportInput, ReportRow } from '@lis/contract/reports-pages.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import type { ReportDefinition } from './definition.ts'
import { type StoredReport, storeReport } from './file.ts'

/** The rows of a report, which are read before the transaction that stores its file. */
export interface ReadReport {
  definition: ReportDefinition
  name: string
  format?: ReportInput['format'] | undefined
  rows: ReportRow[]
}

export type Download = WriteCall & { services: Services }

export const fileName = ({ reportCode, fromDate, toDate }: ReportInput) => `${reportCode} ${fromDate} ${toDate}`

/** Stores the file of a report and records the download in the audit. */
export const makeFile = async (
  { db, actor, requestId, services }: Download,
  { definition, name, format, rows }: ReadReport,
): Promise<StoredReport> => {
  const kept = await storeReport(db, actor, services, { name, format, columns: definition.columns, rows })
  await recordAudit(db, actor, requestId, {
    entity: 'app_user',
    entityId: actor.userId,
    action: 'REPORT_DOWNLOAD',
    new: { reportCode: definition.code, name, rows: rows.length },
  })
  noteRequisitionsRead(services, requestId, rows)
  return kept
}

/** Notes the requisitions of the rows for the access log. */
export const noteRequisitionsRead = ({ accessLog }: Services, requestId: string, rows: readonly ReportRow[]) =>
  accessLog.note(requestId, { reqIds: rows.flatMap(({ reqId }) => (typeof reqId === 'number' ? [reqId] : [])) })
