import { randomUUID } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { ZipFile } from 'yazl'
import { recordAudit } from '../../platform/audit/record.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { AppError } from '../../platform/errors.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { checkItems } from './batch-service.ts'
import { makeBatchFiles } from './files.ts'
import { billingProvider } from './provider.ts'
import { type BatchHead, findBatches, readBatchItems } from './queries.ts'

/** The files of these batches in one ZIP, a folder each: of sent batches as sent, of others as drafts. */
export const downloadBatches = async (call: WriteCall, services: Services, ids: readonly number[]) => {
  const { db, actor, requestId } = call
  const batches = await findBatches(db, ids)
  if (batches.length === 0) throw new AppError('notFound', messages.batchesMissing)
  const entries = []
  for (const batch of batches) entries.push(...(await entriesOf(call, services, batch)))
  const key = `exports/${randomUUID()}.zip`
  await registerTemporaryObject(db, { key, sessionId: actor.sessionId, purpose: 'download', seconds: 3600 })
  const { sha256 } = await services.store.put(key, zipOf(entries), 'application/zip')
  await recordAudit(
    db,
    actor,
    requestId,
    batches.map(({ id }) => ({ entity: 'billing_batch', entityId: id, action: 'DOWNLOAD' })),
  )
  services.accessLog.note(requestId, { reqIds: await requisitionsOf(call, batches) })
  const fileName = batches.length === 1 ? `billing-batch-${batches[0]?.id}.zip` : 'billing-batches.zip'
  const url = await services.store.downloadUrl(key, {
    sha256,
    fileName,
    contentType: 'application/zip',
    expiresSeconds: downloadSeconds,
  })
  const unknown = ids.filter((id) => !batches.some((batch) => batch.id === id))
  return {
    retval: 'SUCCESS' as const,
    data: { url, exportUrl: url },
    message: unknown.length > 0 ? `Billing batch ${unknown.join(', ')} not found` : '',
  }
}

interface Entry {
  path: string
  open: () => Promise<Readable>
}

const entriesOf = async ({ db }: WriteCall, services: Services, batch: BatchHead): Promise<Entry[]> => {
  const rows = await db
    .selectFrom('billing_batch_file as b')
    .innerJoin('stored_file as f', 'f.id', 'b.file_id')
    .select((eb) => [
      'f.object_key as key',
      eb.fn<string>('encode', ['f.sha256', sql.lit('hex')]).as('sha256'),
      'f.original_name as name',
    ])
    .where('b.batch_id', '=', batch.id)
    .orderBy('f.id')
    .execute()
  if (rows.length > 0)
    return rows.map(({ key, sha256, name }) => ({
      path: `batch-${batch.id}/${name}`,
      open: () => services.store.read(key, sha256),
    }))
  const isDraft = batch.send_status_code !== 'SENT'
  const files = await makeBatchFiles({
    batchId: batch.id,
    at: {
      instant: batch.bill_send_at === null ? new Date() : new Date(batch.bill_send_at),
      zone: await getHomeZone(db),
    },
    provider: billingProvider(services.config),
    checked: checkItems(await readBatchItems(db, batch), services),
    isDraft,
  })
  return files.map(({ name, body }) => ({
    path: isDraft ? `batch-${batch.id}-not-sent/draft-${name}` : `batch-${batch.id}/${name}`,
    open: async () => Readable.from([body]),
  }))
}

const requisitionsOf = async ({ db }: WriteCall, batches: readonly BatchHead[]): Promise<number[]> => {
  const rows = await db
    .selectFrom('billing_batch_item')
    .select('requisition_id as id')
    .distinct()
    .where('batch_id', '=', anyId(batches.map(({ id }) => id)))
    .execute()
  return rows.map(({ id }) => id)
}

const zipOf = (entries: readonly Entry[]): PassThrough => {
  const zip = new ZipFile()
  const body = new PassThrough()
  zip.outputStream.pipe(body)
  zip.outputStream.on('error', (error) => body.destroy(error as Error))
  for (const { path, open } of entries)
    zip.addReadStreamLazy(path, {}, (done) => {
      open().then(
        (stream) =>
          done(
            null,
            stream.on('error', (error) => body.destroy(error)),
          ),
        (error) => body.destroy(error),
      )
    })
  zip.end()
  return body
}
