import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { notFound } from '../../../platform/errors.ts'
import type { WriteCall } from '../../../platform/http/implement.ts'
import type { Services } from '../../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../../platform/storage/slots.ts'
import { readQualityMonth } from './queries.ts'

interface Asked {
  instrumentId: number
  testCode: string | null
  month: string
}

/** The quality control of a month as a PDF, which the director signs. */
export const printQualityMonth = async (
  { db, actor }: WriteCall,
  services: Services,
  asked: Asked,
): Promise<string> => {
  const month = await readQualityMonth(db, asked)
  if (!month) throw notFound('Instrument')
  // Imported on first use: the PDF library takes 40 MB of memory.
  const { renderQualityMonth } = await import('./pdf.ts')
  const bytes = await renderQualityMonth(month, new Date())
  const key = `exports/${randomUUID()}.pdf`
  await registerTemporaryObject(db, { key, sessionId: actor.sessionId, purpose: 'download', seconds: 3600 })
  const { sha256 } = await services.store.put(key, Readable.from([bytes]), 'application/pdf')
  return services.store.downloadUrl(key, {
    sha256,
    fileName: `quality-control-${asked.month}.pdf`,
    contentType: 'application/pdf',
    inline: true,
    expiresSeconds: downloadSeconds,
  })
}
