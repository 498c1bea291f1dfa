import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type LabelType, labelMessages, labelTypes } from '@lis/contract/labels.ts'
import { messages } from '@lis/contract/messages.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { type Label, type LabelSource, labelsOf } from './label.ts'
import { labelsAsZpl } from './label-zpl.ts'
import { sendToPrinter } from './printer.ts'
import { findLabelSources } from './queries.ts'

export interface PrintRequest {
  reqIds: readonly number[]
  labelType: LabelType
  output: 'PDF' | 'ZPL' | 'PRINTER'
  cryoCount?: number | undefined
}

/** Makes the labels and sends them to the printer or, as a file, to the browser. Recorded in the history of each requisition. */
export const printLabels = async (call: WriteCall, services: Services, request: PrintRequest) => {
  const { db, actor, requestId } = call
  const sources = await findLabelSources(db, actor, request.reqIds)
  const missing = request.reqIds.find((id) => !sources.some((source) => source.id === id))
  if (missing !== undefined) throw notFound(`Requisition #${missing}`)
  const printed = sources
    .map((source) => ({ source, labels: labelsOf(request.labelType, source, request.cryoCount) }))
    .filter(({ labels }) => labels.length > 0)
  if (printed.length === 0) throw invalid('reqIds', labelMessages.noCryo)
  const labels = printed.flatMap((one) => one.labels)
  const ids = printed.map(({ source }) => source.id)
  // The audit is written before printing: only that write can conflict and be retried, and paper cannot be taken back. Other writers of
  // the same history wait for a slow printer, a few seconds at most; if the commit then fails, labels exist without a history entry.
  // Both are better than two sets of labels for one sample.
  await recordAudit(
    db,
    actor,
    requestId,
    printed.map((one) => auditOf(one.source, one.labels.length, request)),
  )
  const url = await deliverLabels(call, services, request, labels)
  services.accessLog.note(requestId, { reqIds: ids })
  return { labelCount: labels.length, url }
}

const auditOf = ({ id }: LabelSource, count: number, { labelType, output }: PrintRequest) => ({
  entity: 'requisition',
  entityId: id,
  requisitionId: id,
  action: 'LABEL',
  new: { labels: `${count} ${labelTypes[labelType].toLowerCase()}`, output },
})

const deliverLabels = async (
  { db, actor }: WriteCall,
  services: Services,
  { labelType, output }: PrintRequest,
  labels: readonly Label[],
): Promise<string | null> => {
  if (output === 'PRINTER') {
    await toPrinter(services, labelsAsZpl(labelType, labels))
    return null
  }
  const kind = output === 'PDF' ? 'pdf' : 'zpl'
  const contentType = output === 'PDF' ? 'application/pdf' : 'text/plain; charset=utf-8'
  const bytes = output === 'PDF' ? await asPdf(labelType, labels) : Buffer.from(labelsAsZpl(labelType, labels), 'utf8')
  const key = `exports/${randomUUID()}.${kind}`
  await registerTemporaryObject(db, { key, sessionId: actor.sessionId, purpose: 'labels', seconds: 3600 })
  const { sha256 } = await services.store.put(key, Readable.from([bytes]), contentType)
  return services.store.downloadUrl(key, {
    sha256,
    fileName: `labels.${kind}`,
    contentType,
    inline: output === 'PDF',
    expiresSeconds: downloadSeconds,
  })
}

const toPrinter = async ({ config }: Services, zpl: string) => {
  if (!config.LABEL_PRINTER) throw invalid('output', labelMessages.noPrinter)
  try {
    await sendToPrinter(config.LABEL_PRINTER, zpl)
  } catch (cause) {
    throw new AppError('unavailable', messages.printFailed, { cause })
  }
}

/** Loaded with the first PDF: an idle server uses 40 MB less without the PDF library. */
const asPdf = async (type: LabelType, labels: readonly Label[]) =>
  (await import('./label-pdf.ts')).labelsAsPdf(type, labels)
