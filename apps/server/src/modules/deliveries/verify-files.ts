import type { Trx } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { findReportFiles } from '../reports/queries.ts'
import type { PlannedDelivery } from './start-deliveries.ts'

export type FileStore = Pick<Services['store'], 'verify'>

const atOnce = 8

/**
 * A report counts as delivered as soon as it is in the portal, so its stored file is verified before: a changed or missing file makes the
 * delivery a failed one. By the other methods the file is verified when it is sent.
 */
export const refuseChangedFiles = async (
  trx: Trx,
  store: FileStore,
  planned: readonly PlannedDelivery[],
): Promise<PlannedDelivery[]> => {
  const isPublished = ({ recipient, failure = null }: PlannedDelivery) =>
    recipient.method === 'PORTAL' && failure === null
  const reportIds = [...new Set(planned.filter(isPublished).map(({ reportId }) => reportId))]
  // Deliveries are planned for the current version only.
  const files = reportIds.length === 0 ? [] : await findReportFiles(trx, reportIds)
  const failures = new Map<number, string>()
  const verify = async ({ report_id, object_key, sha256 }: (typeof files)[number]) => {
    try {
      await store.verify(object_key, sha256)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failures.set(report_id, error.message)
    }
  }
  for (let start = 0; start < files.length; start += atOnce)
    await Promise.all(files.slice(start, start + atOnce).map(verify))
  return planned.map((one) => {
    const failure = isPublished(one) ? failures.get(one.reportId) : undefined
    return failure === undefined ? one : { ...one, failure }
  })
}
