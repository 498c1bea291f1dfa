import { randomUUID } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { stringify } from 'csv-stringify/sync'
import type { FastifyRequest } from 'fastify'
import type { Actor } from './auth/actor.ts'
import type { Db } from './db/db.ts'
import { AppError, invalid } from './errors.ts'
import { getHomeDay } from './home-zone.ts'
import { type ListDefinition, listChunks } from './lists.ts'
import type { Services } from './services.ts'
import { downloadSeconds, registerTemporaryObject } from './storage/slots.ts'
import { type CellValue, type FormattedCell, writeXlsx } from './xlsx.ts'

export interface ExportColumn {
  header: string
  /** A field of the list; `cell` formats it. */
  field: string
  cell?: (value: unknown, row: Record<string, unknown>) => CellValue
}

export interface ListExport {
  /** Of the file. */
  name: string
  list: ListDefinition
  query: ListQuery
  columns: readonly ExportColumn[]
}

type Format = 'xlsx' | 'csv'

const contentTypes: Record<Format, string> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
}

const formatOf = (request: FastifyRequest): Format => {
  const { format = 'xlsx' } = request.query as { format?: unknown }
  if (format !== 'xlsx' && format !== 'csv') throw invalid('format', 'format must be xlsx or csv')
  return format
}

interface Caller {
  db: Db
  actor: Actor
  services: Services
  request: FastifyRequest
  signal: AbortSignal
}

/** Streams every matching row into a file of the object store, and returns a link that is valid for five minutes. */
export const exportList = async (caller: Caller, { name, list, query, columns }: ListExport) => {
  const { db, actor, services, request } = caller
  const format = formatOf(request)
  const exportedIds = { reqIds: new Set<number>(), patientIds: new Set<number>() }
  const key = `exports/${randomUUID()}.${format}`
  // Before the rows are read: reading holds the only connection that this call may use.
  await db
    .transaction()
    .execute((trx) =>
      registerTemporaryObject(trx, { key, sessionId: actor.sessionId, purpose: 'export', seconds: 3600 }),
    )
  const sha256 = await services.largeReads.run(actor.scope, async (reading) => {
    const chunks = listChunks(reading, list, query)
    try {
      const first = await chunks.next()
      if (first.done) return null
      const rows = cellsOf(first.value, chunks, columns, exportedIds)
      const body = format === 'xlsx' ? writeXlsx({ name, columns, rows }) : Readable.from(csvOf(columns, rows))
      return (await services.store.put(key, addAbortSignal(caller.signal, body), contentTypes[format])).sha256
    } catch (error) {
      throw caller.signal.aborted ? tooLong(error) : error
    } finally {
      // Releases the connection in every case.
      await chunks.return(undefined)
    }
  })
  if (sha256 === null) return { retval: 'EMPTY' as const, data: null, message: 'No matching records found for export' }
  services.accessLog.note(request.id, exportedIds)
  const fileName = `${name}-${await getHomeDay(db)}.${format}`
  const url = await services.store.downloadUrl(key, {
    sha256,
    fileName,
    contentType: contentTypes[format],
    expiresSeconds: downloadSeconds,
  })
  return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
}

const tooLong = (cause: unknown) =>
  new AppError('unavailable', 'The export took too long and was given up; please narrow it down by a filter', { cause })

type Row = Record<string, unknown>

/** The cells of each row; also collects the ids of requisitions and patients for the access log. */
async function* cellsOf(
  first: Row[],
  rest: AsyncIterable<Row[]>,
  columns: readonly ExportColumn[],
  ids: { reqIds: Set<number>; patientIds: Set<number> },
) {
  const toCells = (row: Row) => {
    if (typeof row.reqId === 'number') ids.reqIds.add(row.reqId)
    if (typeof row.patientId === 'number') ids.patientIds.add(row.patientId)
    return columns.map(({ field, cell }) => (cell ? cell(row[field], row) : ((row[field] ?? null) as CellValue)))
  }
  yield first.map(toCells)
  for await (const rows of rest) yield rows.map(toCells)
}

const csvCast = {
  date: (date: Date) => date.toISOString(),
  object: (cell: object) => (cell as FormattedCell).text,
}

/** A cell of an export as plain text. */
export const cellText = ({ field, cell }: ExportColumn, row: Row): string => {
  const value = cell ? cell(row[field], row) : ((row[field] ?? null) as CellValue)
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? value.text : String(value)
}

/** With a byte order mark, so that spreadsheets detect UTF-8; formulas are escaped. */
async function* csvOf(columns: readonly ExportColumn[], chunks: AsyncIterable<CellValue[][]>) {
  yield stringify([columns.map(({ header }) => header)], { bom: true })
  for await (const rows of chunks) yield stringify(rows, { escape_formulas: true, cast: csvCast })
}
