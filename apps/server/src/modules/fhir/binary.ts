import type { Binary } from '@medplum/fhirtypes'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { readReportFile } from '../reports/downloads.ts'
import { unknownResource } from './faults.ts'
import { versionOf } from './versions.ts'

export const pdfType = 'application/pdf'

/** The PDF of a report version: `Binary/{report}-{version}`. */
export const readBinary = async (
  call: { db: Db; actor: Actor; services: Services; requestId: string },
  id: string,
): Promise<Binary> => {
  const [, reportId, versionNo] = /^(\d{1,15})-(\d{1,6})$/.exec(id) ?? []
  if (reportId === undefined) throw unknownResource(`Binary/${id.slice(0, 64)} is not known`)
  try {
    const { bytes, version, changedAt } = await readReportFile(call, Number(reportId), Number(versionNo))
    return {
      resourceType: 'Binary',
      id,
      meta: { versionId: versionOf(version), lastUpdated: new Date(changedAt).toISOString() },
      contentType: pdfType,
      data: bytes.toString('base64'),
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'notFound') throw unknownResource(`Binary/${id} is not known`)
    throw error
  }
}
