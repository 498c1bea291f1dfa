import { randomUUID } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { loadColumns } from '@lis/contract/csv-load-columns.ts'
import {
  adviceByName,
  csvLoadMessages,
  type LoadType,
  loadErrorColumn,
  loadTypes,
  type ProcessInput,
} from '@lis/contract/csv-loads.ts'
import { stringify } from 'csv-stringify'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import type { Services } from '../../platform/services.ts'
import { cleanFileName, findUpload, type ObjectStore } from '../../platform/storage/object-store.ts'
import {
  createUploadSlot,
  downloadSeconds,
  registerTemporaryObject,
  requireOwnUpload,
} from '../../platform/storage/slots.ts'
import { registerFile } from '../../platform/storage/stored-files.ts'
import { isLargeFile, largeLoadJob, largePreviewJob, loadJob, previewJob } from './jobs.ts'
import { adviceByContent } from './other-files.ts'
import { findLoad, openLoadFile } from './queries.ts'
import { type CsvFormat, detectFormat, RefusedFileError, readHead, readRecords } from './read-csv.ts'
import { exampleRow } from './template-example.ts'

const purpose = 'csv-load'
const keyOf = (newFileName: string) => `csv-loads/${newFileName}`

export const initLoad = async ({ db, actor }: WriteCall, store: ObjectStore, fileName: string) => {
  if (!/\.(csv|txt)$/i.test(fileName))
    throw invalid('fileName', adviceByName(fileName) ?? 'Only CSV files are accepted')
  const newFileName = `${randomUUID()}.csv`
  const slot = { sessionId: actor.sessionId, purpose, key: keyOf(newFileName) }
  const { url, fields } = await createUploadSlot(db, store, slot)
  return { url, fields, newFileName }
}

const requireUpload = async ({ db, actor }: WriteCall, store: ObjectStore, fileName: string) => {
  if (!/^[0-9a-f-]{36}\.csv$/.test(fileName)) throw invalid('fileName', 'This file was not uploaded here')
  const key = keyOf(fileName)
  await requireOwnUpload(db, { key, sessionId: actor.sessionId, purpose })
  const found = await findUpload(store, key)
  if (!found) throw invalid('fileName', 'The file has not been uploaded')
  if (found.size === 0) throw invalid('fileName', csvLoadMessages.empty)
  const advice = adviceByContent(await readHead(await store.get(found.key)))
  if (advice !== undefined) throw invalid('fileName', advice)
  return { key, place: found.key, isLarge: isLargeFile(found.size) }
}

export const startPreview = async (call: WriteCall, store: ObjectStore, input: ProcessInput) => {
  const { place, isLarge: isLong } = await requireUpload(call, store, input.fileName)
  const started = await startJob(
    call.db,
    isLong ? largePreviewJob : previewJob,
    { key: place, type: input.loadFileTypeCode },
    { userId: call.actor.userId },
  )
  return { jobId: started.id }
}

/** Registers the file and queues its load in one transaction. */
export const startLoad = async (call: WriteCall, store: ObjectStore, input: ProcessInput) => {
  const { db, actor, requestId } = call
  const { key, isLarge: isLong } = await requireUpload(call, store, input.fileName)
  const originalName = cleanFileName(input.originalFileName).slice(0, 255) || 'file.csv'
  const file = await registerFile(db, store, {
    key,
    originalName,
    accept: ['csv'],
    createdBy: actor.userId,
    field: 'fileName',
  })
  const { id } = await db
    .insertInto('csv_load')
    .values({
      file_type_code: input.loadFileTypeCode,
      file_id: file.id,
      object_key: file.key,
      original_name: originalName,
      load_by: actor.userId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const definition = isLong ? largeLoadJob : loadJob
  const job = await startJob(db, definition, { loadId: id }, { userId: actor.userId, singletonKey: String(id) })
  await sql`update csv_load set job_id = ${job.id}::uuid where id = ${id}`.execute(db)
  await recordAudit(db, actor, requestId, {
    entity: 'csv_load',
    entityId: id,
    action: 'CREATE',
    new: {
      loadFileTypeCode: input.loadFileTypeCode,
      originalFileName: originalName,
      sha256: file.sha256.toString('hex'),
    },
  })
  return { id, jobId: job.id }
}

interface Reader {
  db: Db
  actor: Actor
  services: Services
}

/** The header and one example row, for a person to fill in. */
export const templateUrl = async (reader: Reader, type: LoadType) => {
  const rows = [loadColumns[type].map(({ name }) => name), await exampleRow(reader.db, type)]
  return offer(reader, `${loadTypes[type].toLowerCase().replaceAll(' ', '-')}-template.csv`, Readable.from(rows), ',')
}

/** The failed rows as sent, with the reasons in an additional column. */
export const errorFileUrl = async (reader: Reader, loadId: number) => {
  const { db, services } = reader
  const load = await findLoad(db, loadId)
  if (!load) throw notFound('Upload')
  const { rows } = await sql<{ row_no: number; text: string }>`
    select row_no, string_agg(regexp_replace(error_desc, '^Row \\d+(, )?:? ?', ''), '; ' order by id) as text
    from csv_load_error where load_id = ${loadId} group by row_no`.execute(db)
  if (rows.length === 0) throw new AppError('notFound', csvLoadMessages.noErrors)
  const reasons = new Map(rows.map(({ row_no, text }) => [row_no, text]))
  const open = () => openLoadFile(services.store, load)
  const format = await detectFormat(await open()).catch(plainFormat)
  const records = failedRecords(await open(), format, reasons)
  const name = load.original_name.replace(/\.[^.]*$/, '')
  return offer(reader, `${name}-errors.csv`, Readable.from(records), format.delimiter)
}

const plainFormat = (error: unknown): CsvFormat => {
  if (error instanceof RefusedFileError) return { encoding: 'utf-8', delimiter: ',' }
  throw error
}

async function* failedRecords(stream: Readable, format: CsvFormat, reasons: ReadonlyMap<number, string>) {
  // The reasons of a refused file are in the header's own row.
  const refusal = reasons.get(1) ?? loadErrorColumn
  let place = -1
  try {
    for await (const { no, cells } of readRecords(stream, format)) {
      if (place === -1) {
        const at = cells.indexOf(loadErrorColumn)
        place = at === -1 ? cells.length : at
        yield place < cells.length ? cells : [...cells, refusal]
        continue
      }
      const reason = reasons.get(no)
      if (reason === undefined) continue
      const row = cells.slice()
      while (row.length < place) row.push('')
      row[place] = reason
      yield row
    }
  } catch (error) {
    // The rows up to the place that cannot be read are complete.
    if (!(error instanceof RefusedFileError)) throw error
  }
  if (place === -1) yield [refusal]
}

/** Stores the file for an hour and returns a link valid for five minutes. Formulas in cells are escaped. */
const offer = async ({ db, actor, services }: Reader, fileName: string, rows: Readable, delimiter: string) => {
  const key = `exports/${randomUUID()}.csv`
  const contentType = 'text/csv; charset=utf-8'
  await db
    .transaction()
    .execute((trx) =>
      registerTemporaryObject(trx, { key, sessionId: actor.sessionId, purpose: 'export', seconds: 3600 }),
    )
  const body = pipeline(rows, stringify({ bom: true, delimiter, escape_formulas: true }), () => undefined)
  const { sha256 } = await services.store.put(key, body, contentType)
  const url = await services.store.downloadUrl(key, { sha256, fileName, contentType, expiresSeconds: downloadSeconds })
  return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
}
