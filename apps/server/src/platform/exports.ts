import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { stringify } from 'csv-stringify'
import type { FastifyRequest } from 'fastify'
import { type CellValue, writeXlsxStream } from 'hucre/xlsx'
import type { Actor } from './auth/actor.ts'
import type { Db } from './db/db.ts'
import { invalid } from './http/errors.ts'
import { type ListDefinition, listRows } from './lists.ts'
import type { Services } from './services.ts'
import { downloadSeconds, keepTemporarily } from './storage/slots.ts'

export interface ExportColumn {
  header: string
  /** A field of the list; `cell` may make more of it. */
  field: string
  cell?: (value: unknown, row: Record<string, unknown>) => CellValue
}

export interface ListExport {
  /** The file is called by it. */
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
}

/** Writes every matching row into a file of the object store, streaming, and answers with a link that lives five minutes. */
export const exportList = async (
  { db, actor, services, request }: Caller,
  { name, list, query, columns }: ListExport,
) => {
  const format = formatOf(request)
  const rows = listRows(db, list, query)
  const first = await rows.next()
  if (first.done) return { retval: 'EMPTY' as const, data: null, message: 'No matching records found for export' }
  const cells = cellsOf(first.value, rows, columns)
  const key = `exports/${randomUUID()}.${format}`
  await db
    .transaction()
    .execute((trx) => keepTemporarily(trx, { key, sessionId: actor.sessionId, purpose: 'export', seconds: 3600 }))
  await services.store.put(
    key,
    format === 'xlsx' ? asXlsx(name, columns, cells) : asCsv(columns, cells),
    contentTypes[format],
  )
  services.accessLog.record({ userId: actor.userId, requestId: request.id, action: 'EXPORT' })
  const fileName = `${name}-${new Date().toISOString().slice(0, 10)}.${format}`
  const url = await services.store.downloadUrl(key, {
    fileName,
    contentType: contentTypes[format],
    expiresSeconds: downloadSeconds,
  })
  return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
}

async function* cellsOf(
  first: Record<string, unknown>,
  rest: AsyncIterable<Record<string, unknown>>,
  columns: readonly ExportColumn[],
) {
  const toCells = (row: Record<string, unknown>) =>
    columns.map(({ field, cell }) => (cell ? cell(row[field], row) : ((row[field] ?? null) as CellValue)))
  yield toCells(first)
  for await (const row of rest) yield toCells(row)
}

const asXlsx = (name: string, columns: readonly ExportColumn[], rows: AsyncIterable<CellValue[]>): Readable =>
  Readable.fromWeb(
    writeXlsxStream(rows, {
      name,
      columns: columns.map(({ header }) => ({ header })),
      freezePane: { rows: 1 },
    }) as Parameters<typeof Readable.fromWeb>[0],
  )

/** With a byte order mark, so that a spreadsheet reads the accents; a cell never starts a formula. */
const asCsv = (columns: readonly ExportColumn[], rows: AsyncIterable<CellValue[]>): Readable =>
  Readable.from(rows).pipe(
    stringify({ header: true, columns: columns.map(({ header }) => header), bom: true, escape_formulas: true }),
  )
