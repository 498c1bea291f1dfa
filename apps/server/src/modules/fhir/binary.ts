import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { readReportFile } from '../reports/downloads.ts'
import { unknownResource } from './faults.ts'

export const pdfType = 'application/pdf'

/** The PDF of a report version: `Binary/{report}-{version}`. */
export const readBinary = async (
  call: { db: Db; actor: Actor; services: Services; requestId: string },
  id: string,
): Promise<{ bytes: Buffer; requisitionId: number; versionNo: number }> => {
  const [, reportId, versionNo] = /^(\d{1,15})-(\d{1,6})$/.exec(id) ?? []
  if (reportId === undefined) throw unknownResource(`Binary/${id.slice(0, 64)} is not known`)
  try {
    return { ...(await readReportFile(call, Number(reportId), Number(versionNo))), versionNo: Number(versionNo) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'notFound') throw unknownResource(`Binary/${id} is not known`)
    throw error
  }
}
