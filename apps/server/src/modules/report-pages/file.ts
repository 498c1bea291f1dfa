import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReportColumn, ReportRow } from '@lis/contract/reports-pages.ts'
import { stringify } from 'csv-stringify/sync'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, hasTemporaryObject, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { type ZipEntry, zipOf } from '../../platform/storage/zip.ts'
import { type CellValue, type SheetColumn, writeXlsx } from '../../platform/xlsx.ts'

export const reportContentTypes = {
  XLSX: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  CSV: 'text/csv; charset=utf-8',
} as const
type Format = keyof typeof reportContentTypes
const formats: Record<ReportColumn['type'], string | undefined> = {
  text: undefined,
  integer: '0',
  decimal1: '0.0',
  decimal2: '0.00',
  decimal: 'General',
  money: '#,##0.00',
  datetime: 'mm/dd/yyyy hh:mm',
  date: 'mm/dd/yyyy',
}
const zipType = 'application/zip'
const purpose = 'export'
const temporarySeconds = 3600

interface ReportFile {
  /** Without the extension. */
  name: string
  format?: Format | undefined
  columns: readonly ReportColumn[]
  rows: readonly ReportRow[]
}

/** A report in the store. */
export interface StoredReport {
  key: string
  sha256: string
  fileName: string
}

/** Writes the rows to a spreadsheet, with typed dates and numbers, and stores it for an hour. */
export const storeReport = async (
  trx: Trx,
  actor: Actor,
  { store }: Services,
  { name, format = 'XLSX', columns, rows }: ReportFile,
): Promise<StoredReport> => {
  const fileName = `${name}.${format.toLowerCase()}`
  const key = `exports/${randomUUID()}.${format.toLowerCase()}`
  await registerTemporaryObject(trx, { key, sessionId: actor.sessionId, purpose, seconds: temporarySeconds })
  const { sha256 } = await store.put(key, reportContent(format, { name, columns, rows }), reportContentTypes[format])
  return { key, sha256, fileName }
}

/** The bytes of a report. */
export const reportContent = (format: Format, { name, columns, rows }: Omit<ReportFile, 'format'>): Readable =>
  format === 'CSV'
    ? Readable.from([stringify(linesOf(columns, rows), { escape_formulas: true, bom: true })])
    : writeXlsx({ name, columns: columns.map((column) => headOf(column, rows)), rows: [cellsOf(columns, rows)] })

/** Times keep their zone, which a spreadsheet's cell cannot. */
const linesOf = (columns: readonly ReportColumn[], rows: readonly ReportRow[]) => [
  columns.map(({ header }) => header),
  ...rows.map((row) => columns.map((column) => reportText(column, row))),
]

/** A cell as plain text. */
export const reportText = ({ name, type }: ReportColumn, row: ReportRow): string => {
  const text = String(row[name] ?? '')
  return type === 'datetime' ? text.replace('T', ' ') : text
}

/** Stores a ZIP of several files for an hour. */
export const storeZip = async (
  trx: Trx,
  { sessionId }: Actor,
  { store }: Pick<Services, 'store'>,
  { fileName, entries }: { fileName: string; entries: readonly ZipEntry[] },
): Promise<StoredReport> => {
  const key = `exports/${randomUUID()}.zip`
  await registerTemporaryObject(trx, { key, sessionId, purpose, seconds: temporarySeconds })
  const { sha256 } = await store.put(key, zipOf(entries, store), zipType)
  return { key, sha256, fileName }
}

const contentTypeOf = (fileName: string) => {
  if (fileName.endsWith('.zip')) return zipType
  return reportContentTypes[fileName.endsWith('.csv') ? 'CSV' : 'XLSX']
}

/** A link valid for five minutes, signed when the file is requested, not when it was made. */
export const reportUrl = ({ store }: Pick<Services, 'store'>, { key, sha256, fileName }: StoredReport) =>
  store.downloadUrl(key, {
    sha256,
    fileName,
    contentType: contentTypeOf(fileName),
    expiresSeconds: downloadSeconds,
  })

export const isReportStored = (db: Db, { sessionId }: Actor, { key }: StoredReport) =>
  hasTemporaryObject(db, { key, sessionId, purpose })

/** Spreadsheets have no time zones: cells hold local time and the header names the zones. */
const headOf = ({ name, header, type }: ReportColumn, rows: readonly ReportRow[]): SheetColumn => {
  const zones = new Set(type === 'datetime' ? rows.flatMap((row) => String(row[name] ?? '').slice(20) || []) : [])
  const head = zones.size > 0 ? `${header} (${[...zones].sort().join(', ')})` : header
  const width = type === 'text' ? 24 : Math.max(type === 'datetime' ? 18 : 12, head.length + 2)
  return { header: head, width, format: formats[type] }
}

const cellsOf = (columns: readonly ReportColumn[], rows: readonly ReportRow[]): CellValue[][] =>
  rows.map((row) => columns.map((column) => cellOf(column, row[column.name] ?? null)))

const cellOf = ({ type }: ReportColumn, value: string | number | null): CellValue => {
  if (typeof value !== 'string') return value
  return type === 'datetime' || type === 'date'
    ? new Date(`${value.slice(0, 19)}${type === 'date' ? 'T00:00:00' : ''}Z`)
    : value
}
