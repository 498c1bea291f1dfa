import { parse } from 'csv-parse/sync'
import { flagsOf, type MeasuredResult } from '../instrument-results/measured.ts'
import type { ReadMessage, ReadOptions } from './read-message.ts'

/** What a file of results can hold; the column map of the instrument says under which heading. */
export const fileFields = [
  'specimenId',
  'code',
  'value',
  'units',
  'flags',
  'status',
  'operator',
  'reagentLot',
  'measuredAt',
  'isControl',
] as const
type FileField = (typeof fileFields)[number]

/** The headings of a file; throws for one that is no CSV. */
export const rowsOfFile = (text: string): Record<string, string>[] =>
  parse(text.replace(/^\uFEFF/, ''), { columns: true, skip_empty_lines: true, trim: true, relax_column_count: true })

/** One result for each row. */
export const readFile = (text: string, { toInstant, columns }: ReadOptions): ReadMessage => ({
  sentAt: '',
  results: rowsOfFile(text).map((row) => {
    const cell = (field: FileField) => row[columns?.[field] ?? field] ?? ''
    return readRow(cell, Object.values(row).join(','), toInstant)
  }),
})

const readRow = (
  cell: (field: FileField) => string,
  rawRecord: string,
  toInstant: ReadOptions['toInstant'],
): MeasuredResult => {
  const flags = cell('flags')
    .split(/[;~\\]/)
    .map((flag) => flag.trim())
  const completedAt = cell('measuredAt')
  return {
    specimenId: cell('specimenId'),
    isControl: ['1', 'Q', 'Y', 'YES'].includes(cell('isControl').toUpperCase()),
    code: cell('code'),
    value: cell('value'),
    units: cell('units') || null,
    flags: flagsOf(flags, []),
    abnormalFlag: flags.filter(Boolean).join(' ') || null,
    status: cell('status').toUpperCase(),
    operator: cell('operator') || null,
    reagentLot: cell('reagentLot') || null,
    measuredAt: timeOf(completedAt, toInstant),
    completedAt,
    rawRecord,
  }
}

/** '2026-11-18 08:05:00', '2026-11-18T08:05:00Z', or as in a message. */
const timeOf = (text: string, toInstant: ReadOptions['toInstant']): string | null => {
  const [, year, month, day, hours, minutes, seconds = '00', zone = ''] =
    /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim()) ?? []
  if (year === undefined) return toInstant(text)
  const offset = zone === 'Z' ? '+0000' : zone.replace(':', '')
  return toInstant(`${year}${month}${day}${hours}${minutes}${seconds}${offset}`)
}
