import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  type RequisitionScan,
  type ScanFieldName,
  scanFieldLabels,
  scanMessages,
} from '@lis/contract/requisition-scans.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { Bytes } from '../../platform/http/bytes.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { OverLimit, runInLimitedProcess } from '../../platform/limited/limited-process.ts'
import type { Services } from '../../platform/services.ts'
import { findUpload, type ObjectStore } from '../../platform/storage/object-store.ts'
import { createUploadSlot } from '../../platform/storage/slots.ts'
import { sniff, sniffBytes } from '../../platform/storage/sniff.ts'
import { documentKinds } from '../uploads/service.ts'
import type * as scanReader from './read-scan.ts'
import type { ReadField } from './read-scan.ts'

const purpose = 'requisition-scan'
/** Pages take seconds each on one core; other calls go first. */
const longestSeconds = 180
const keptHours = 24

export const initScan = async ({ db, actor }: WriteCall, store: ObjectStore, fileName: string) => {
  const extension = extname(fileName).toLowerCase()
  if (!documentKinds.kinds[extension]) throw invalid('fileName', `Only ${documentKinds.kindNames} files are accepted`)
  const key = `requisition-scans/${randomUUID()}${extension}`
  const { url, fields } = await createUploadSlot(db, store, { sessionId: actor.sessionId, purpose, key })
  await sql`delete from requisition_scan where created_at < now() - make_interval(hours => ${keptHours})`.execute(db)
  const { id } = await db
    .insertInto('requisition_scan')
    .values({ created_by: actor.userId, object_key: key })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { scanId: id, url, fields }
}

/** Starts reading; a scan that was read or is being read is returned unchanged. */
export const startReading = async (
  { db, actor }: WriteCall,
  store: ObjectStore,
  scanId: number,
): Promise<RequisitionScan> => {
  const row = await db
    .selectFrom('requisition_scan')
    .select(['state', 'object_key'])
    .where('id', '=', scanId)
    .where('created_by', '=', actor.userId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('Scan')
  if (row.state === 'WAITING' || row.state === 'FAILED') {
    if (!(await findUpload(store, row.object_key))) throw invalid('scanId', scanMessages.notUploaded)
    await setState(db, scanId, 'READING')
    await startJob(db, readScanJob, { scanId }, { userId: actor.userId })
  }
  return getScan(db, actor, scanId)
}

export const getScan = async (db: Db, actor: Actor, scanId: number): Promise<RequisitionScan> => {
  const row = await db
    .selectFrom('requisition_scan')
    .select(['id', 'state', 'message'])
    .where('id', '=', scanId)
    .where('created_by', '=', actor.userId)
    .executeTakeFirst()
  if (!row) throw notFound('Scan')
  const fields = await db
    .selectFrom('requisition_scan_field')
    .select(['name', 'value', 'confidence', 'is_unsure as isUnsure', 'page', 'box'])
    .where('scan_id', '=', scanId)
    .orderBy('n')
    .execute()
  return {
    id: row.id,
    state: row.state as RequisitionScan['state'],
    message: row.message,
    fields: fields.map((field) => {
      const name = field.name as ScanFieldName
      return { ...field, name, label: scanFieldLabels[name], box: field.box as [number, number, number, number] }
    }),
  }
}

export const getPiece = async (db: Db, actor: Actor, scanId: number, n: number): Promise<Bytes> => {
  const row = await db
    .selectFrom('requisition_scan_field as f')
    .innerJoin('requisition_scan as s', 's.id', 'f.scan_id')
    .select('f.piece')
    .where('f.scan_id', '=', scanId)
    .where('f.n', '=', n)
    .where('s.created_by', '=', actor.userId)
    .executeTakeFirst()
  if (!row) throw notFound('Piece')
  return new Bytes(row.piece, 'image/png')
}

/** Reads the file in a limited process. A file that cannot be read sets the state of the scan and does not fail the job. */
export const readScanJob = defineJob<{ scanId: number }>({
  kind: 'requisition-scans.read',
  concurrency: 1,
  maxSeconds: 2 * longestSeconds,
  retry: { limit: 1, delaySeconds: 1 },
  run: async ({ services }, { scanId }) => {
    const db = services.databases(systemScope)
    const row = await db
      .selectFrom('requisition_scan')
      .select(['object_key', 'state'])
      .where('id', '=', scanId)
      .executeTakeFirst()
    if (row?.state !== 'READING') return
    try {
      const fields = await withKnownNames(db, await readFile(services, row.object_key))
      await db.transaction().execute((trx) => storeFields(trx, scanId, fields))
    } catch (error) {
      const reason = reasonOf(error)
      if (reason === undefined) throw error
      await setState(db, scanId, 'FAILED', reason)
    }
  },
})

const reasonOf = (error: unknown) => {
  if (error instanceof OverLimit) return scanMessages.tooLong
  return error instanceof AppError ? error.message : undefined
}

const readFile = async ({ store }: Pick<Services, 'store'>, key: string): Promise<ReadField[]> => {
  const found = await findUpload(store, key)
  if (!found) throw invalid('scanId', scanMessages.notUploaded)
  if (found.size === 0) throw invalid('scanId', scanMessages.empty)
  const bytes = await buffer(await store.get(found.key))
  const kind = sniff(bytes.subarray(0, sniffBytes))
  if (!kind || kind === 'csv' || kind === 'zip')
    throw invalid('scanId', `Only ${documentKinds.kindNames} files can be read`)
  const today = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10)
  const module = new URL('./read-scan.ts', import.meta.url)
  return runInLimitedProcess<typeof scanReader, 'readScan'>(module, 'readScan', async () => [bytes, kind, today], {
    seconds: longestSeconds,
    isInBackground: true,
  })
}

/** An unknown name or code may have been misread. */
const withKnownNames = async (db: Db, fields: readonly ReadField[]): Promise<ReadField[]> => {
  const isKnown = async ({ name, value }: ReadField) => {
    if (name === 'clientName')
      return isFound(db, sql`select from client where sort_key(name) = sort_key(${value}) and deleted_at is null`)
    if (name === 'physicianName')
      return isFound(
        db,
        sql`select from physician where deleted_at is null and sort_key(${value}) in
          (sort_key(first_name || ' ' || last_name), sort_key(last_name || ', ' || first_name), sort_key('Dr. ' || first_name || ' ' || last_name))`,
      )
    if (name !== 'testCodes') return true
    const codes = value.split(', ')
    return isFound(
      db,
      sql`select from (select code from test where deleted_at is null union select code from panel where deleted_at is null) x
        where code = any(${codes}::text[]) having count(distinct code) = ${new Set(codes).size}`,
    )
  }
  return Promise.all(fields.map(async (field) => ((await isKnown(field)) ? field : { ...field, isUnsure: true })))
}

const isFound = async (db: Db, query: ReturnType<typeof sql>) => {
  const { rows } = await sql<{ found: boolean }>`select exists (${query}) as found`.execute(db)
  return rows[0]?.found === true
}

const storeFields = async (trx: Trx, scanId: number, fields: readonly ReadField[]) => {
  await trx.deleteFrom('requisition_scan_field').where('scan_id', '=', scanId).execute()
  await trx
    .insertInto('requisition_scan_field')
    .values(
      fields.map(({ name, value, confidence, isUnsure, page, box, piece }, n) => ({
        ...{ scan_id: scanId, n, name, value, confidence, is_unsure: isUnsure, page },
        box: [...box],
        piece: Buffer.from(piece),
      })),
    )
    .execute()
  await setState(trx, scanId, 'DONE')
}

const setState = (db: Db, scanId: number, state: RequisitionScan['state'], message: string | null = null) =>
  db.updateTable('requisition_scan').set({ state, message }).where('id', '=', scanId).execute()
