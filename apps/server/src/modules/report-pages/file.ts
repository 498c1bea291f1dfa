import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReportColumn, ReportRow } from '@lis/contract/reports-pages.ts'
import { type CellValue, type ColumnDef, writeXlsxStream } from 'hucre/xlsx'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, keepTemporarily } from '../../platform/storage/slots.ts'

const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
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
const temporarySeconds = 3600

interface ReportFile {
  /** Without the ending. */
  name: string
  columns: readonly ReportColumn[]
  rows: readonly ReportRow[]
}

/** Puts the rows into a spreadsheet, dates as dates and numbers as numbers, and gives a link to it that lives five minutes. */
export const storeReport = async (trx: Trx, actor: Actor, { store }: Services, { name, columns, rows }: ReportFile) => {
  const key = `exports/${randomUUID()}.xlsx`
  await keepTemporarily(trx, { key, sessionId: actor.sessionId, purpose: 'export', seconds: temporarySeconds })
  const sheet = writeXlsxStream(cellsOf(columns, rows), {
    name: name.slice(0, 31),
    columns: columns.map(headOf),
    freezePane: { rows: 1 },
  })
  await store.put(key, Readable.fromWeb(sheet as Parameters<typeof Readable.fromWeb>[0]), contentType)
  return store.downloadUrl(key, { fileName: `${name}.xlsx`, contentType, expiresSeconds: downloadSeconds })
}

const headOf = ({ header, type }: ReportColumn): ColumnDef => {
  const numFmt = formats[type]
  const width = type === 'text' ? 24 : type === 'datetime' ? 18 : Math.max(12, header.length + 2)
  return { header, width, ...(numFmt && { numFmt }) }
}

function* cellsOf(columns: readonly ReportColumn[], rows: readonly ReportRow[]): Generator<CellValue[]> {
  for (const row of rows) yield columns.map((column) => cellOf(column, row[column.name] ?? null))
}

/** A spreadsheet has no zones: the moment stays what the laboratory's clock showed. */
const cellOf = ({ type }: ReportColumn, value: string | number | null): CellValue => {
  if (typeof value !== 'string') return value
  return type === 'datetime' || type === 'date'
    ? new Date(`${value.slice(0, 19)}${type === 'date' ? 'T00:00:00' : ''}Z`)
    : value
}
