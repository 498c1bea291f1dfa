import type { Readable } from 'node:stream'
import { loadColumns } from '@lis/contract/csv-load-columns.ts'
import { csvLoadMessages, type LoadType, loadErrorColumn } from '@lis/contract/csv-loads.ts'
import { CsvError, parse } from 'csv-parse'
import { detectUtf16 } from '../../platform/storage/sniff.ts'

/** A row by its column names; the number is the one a spreadsheet shows, the header being 1. */
export interface CsvRow {
  no: number
  cells: Record<string, string>
  /** As in the file, for the error file. */
  raw: string[]
  /** More or fewer cells than the header has. */
  fault: string | null
}

export interface RowError {
  columnName: string | null
  message: string
}

/** The file is refused before any row is read. */
export class RefusedFileError extends Error {
  readonly errors: readonly RowError[]
  constructor(errors: readonly RowError[]) {
    super(errors.map(({ columnName, message }) => (columnName ? `${columnName}: ${message}` : message)).join('; '))
    this.errors = errors
  }
}

export interface CsvFormat {
  encoding: 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be'
  delimiter: string
}

/** Reads the file once. Bytes that are not UTF-8 come from a spreadsheet that writes Windows-1252. */
export const detectFormat = async (stream: Readable): Promise<CsvFormat> => {
  const strict = new TextDecoder('utf-8', { fatal: true })
  let head = Buffer.alloc(0)
  let isUtf8 = true
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)])
    if (!isUtf8) continue
    try {
      strict.decode(chunk, { stream: true })
    } catch {
      isUtf8 = false
    }
  }
  if (head.length === 0) throw new RefusedFileError([{ columnName: null, message: csvLoadMessages.empty }])
  const encoding = detectUtf16(head) ?? (isUtf8 ? 'utf-8' : 'windows-1252')
  return { encoding, delimiter: delimiterOf(new TextDecoder(encoding).decode(head)) }
}
const headBytes = 64 * 1024

/** The first bytes of a file, without the rest. */
export const readHead = async (stream: Readable): Promise<Buffer> => {
  let head = Buffer.alloc(0)
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    head = Buffer.concat([head, chunk])
    if (head.length >= headBytes) break
  }
  return head.subarray(0, headBytes)
}

/** 'sep=;' ahead of the header: Excel reads it and does not show it as a row. */
const separatorLine = /^sep=([,;\t])[,;\t]*(?:\r\n|\r|\n|$)/i

/** The delimiter named by the file, or the most frequent one of the header line outside of quotes. */
export const delimiterOf = (text: string): string => {
  const named = separatorLine.exec(text)?.[1]
  if (named) return named
  const line = text.replace(/"[^"]*"/g, '').split(/\r\n|\r|\n/, 1)[0] ?? ''
  const counts = [',', ';', '\t'].map((mark) => [mark, line.split(mark).length] as const)
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best))[0]
}

const longestRecord = 1_000_000

/** Streams all rows, so memory does not grow with their number. */
export async function* readRecords(stream: Readable, { encoding, delimiter }: CsvFormat) {
  const parser = parse({
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    info: true,
    max_record_size: longestRecord,
  })
  pump(stream, encoding, parser)
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[]
      info: { records: number; empty_lines: number }
    }>)
      yield { no: info.records + info.empty_lines, cells: record.map(plain) }
  } catch (error) {
    throw error instanceof CsvError ? new RefusedFileError([{ columnName: null, message: explain(error) }]) : error
  }
}

const pump = (stream: Readable, encoding: string, parser: ReturnType<typeof parse>) => {
  const decoder = new TextDecoder(encoding)
  // Buffers the first characters until it is clear whether they are a separator line.
  let start: string | null = ''
  const withoutSeparator = (text: string, isLast: boolean): string => {
    if (start === null) return text
    start += text
    if (start.length < 32 && !isLast) return ''
    const rest = start.replace(separatorLine, '')
    start = null
    return rest
  }
  const run = async () => {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const isFull = !parser.write(withoutSeparator(decoder.decode(chunk, { stream: true }), false))
      if (isFull && !parser.destroyed) await new Promise((go) => parser.once('drain', go).once('close', go))
      if (parser.destroyed) return
    }
    parser.end(withoutSeparator(decoder.decode(), true))
  }
  run().catch((error) => parser.destroy(error as Error))
}

/** Removes the quote with which our error files escape formulas. */
const plain = (cell: string) => cell.replace(/^'(?=[=+\-@])/, '')

const explain = (error: CsvError): string => {
  const line = (error as { lines?: number }).lines
  const where = line === undefined ? '' : ` (line ${line})`
  if (/QUOTE_NOT_CLOSED|MAX_RECORD_SIZE/.test(error.code)) return `${csvLoadMessages.quoteOpen}${where}`
  return `The file cannot be read as CSV${where}`
}

export interface CsvFile {
  header: string[]
  rows: AsyncGenerator<CsvRow>
}

/** Checks the header, then gives the rows. */
export const openCsv = async (stream: Readable, format: CsvFormat, type: LoadType): Promise<CsvFile> => {
  const records = readRecords(stream, format)
  const first = await records.next()
  if (first.done) throw new RefusedFileError([{ columnName: null, message: csvLoadMessages.empty }])
  const header = first.value.cells.map((cell) => knownName(cell, type))
  const errors = headerErrors(header, type)
  if (errors.length > 0) {
    stream.destroy()
    throw new RefusedFileError(errors)
  }
  return { header, rows: rowsOf(records, header) }
}

async function* rowsOf(records: AsyncGenerator<{ no: number; cells: string[] }>, header: string[]) {
  for await (const { no, cells } of records) {
    // Spreadsheets also write rows whose cells were cleared.
    if (cells.every((cell) => cell === '')) continue
    const isWhole = cells.length === header.length
    const fault = isWhole ? null : csvLoadMessages.cellCount(cells.length, header.length)
    const named = Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']))
    yield { no, cells: named, raw: cells, fault }
  }
}

/** The column of this name, ignoring case, spaces and hyphens; an unknown one is returned unchanged. */
const knownName = (cell: string, type: LoadType): string => {
  const isMeant = (name: string) => plainName(name) === plainName(cell)
  return (
    loadColumns[type].find(({ name }) => isMeant(name))?.name ?? (isMeant(loadErrorColumn) ? loadErrorColumn : cell)
  )
}
const plainName = (name: string) => name.replace(/[\s_-]/g, '').toLowerCase()

const headerErrors = (header: readonly string[], type: LoadType): RowError[] => {
  const columns = loadColumns[type]
  const names = new Set(header)
  const isKnown = (name: string) => name === loadErrorColumn || columns.some((column) => column.name === name)
  const hasOther = (name: string) => columns.some((column) => column.alternativeTo === name && names.has(column.name))
  return [
    ...[...names]
      .filter((name) => !isKnown(name))
      .map((name) => error(name || '(no name)', csvLoadMessages.unknownColumn)),
    ...[...names]
      .filter((name) => header.indexOf(name) !== header.lastIndexOf(name))
      .map((name) => error(name, csvLoadMessages.duplicateColumn)),
    ...columns
      .filter(({ name, isRequired }) => isRequired && !names.has(name) && !hasOther(name))
      .map(({ name }) => error(name, csvLoadMessages.columnMissing)),
  ]
}

const error = (columnName: string, message: string): RowError => ({ columnName, message })
