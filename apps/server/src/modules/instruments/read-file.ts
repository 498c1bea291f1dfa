import { type FileColumn, fileColumnLabels } from '@lis/contract/instrument-work.ts'
import { CsvError, parse } from 'csv-parse/sync'
import { parseHl7Time } from '../../platform/hl7/timestamps.ts'
import { delimiterOf } from '../csv-loads/read-csv.ts'
import { flagsOf, type MeasuredResult } from '../instrument-results/measured.ts'
import type { ReadMessage, ReadOptions } from './read-message.ts'

/** A file whose columns or rows do not match the column settings of the instrument. */
export class WrongFileError extends Error {}

/** The results of a CSV file, one on each line below the headings. */
export const readFile = (text: string, { toInstant, fileColumns }: ReadOptions): ReadMessage => {
  if (!fileColumns) throw new WrongFileError('The columns of its files are not set up')
  const delimiter = delimiterOf(text)
  const [heading = [], ...rows] = recordsOf(text, delimiter)
  const plain = (name: string) => name.trim().toLowerCase()
  const headings = heading.map(plain)
  const places = new Map(headings.map((name, index) => [name, index]))
  const named = Object.entries(fileColumns).filter(([, name]) => name !== null) as [FileColumn, string][]
  const missing = named.filter(([, name]) => !places.has(plain(name)))
  if (missing.length > 0) {
    const words = missing.map(([field, name]) => `${name} (${fileColumnLabels[field]})`).join(', ')
    throw new WrongFileError(`The file has no column ${words}`)
  }
  const twice = named.find(([, name]) => headings.indexOf(plain(name)) !== headings.lastIndexOf(plain(name)))
  if (twice) throw new WrongFileError(`The file has the column ${twice[1]} twice`)
  if (rows.length === 0) throw new WrongFileError('The file has no results')
  const placeOf = Object.fromEntries(named.map(([field, name]) => [field, places.get(plain(name))]))
  const results = rows.map((cells, index): MeasuredResult => {
    // A value in the wrong column could be the result of another test.
    if (cells.length !== heading.length)
      throw new WrongFileError(`Result ${index + 1} has ${cells.length} cells, but there are ${heading.length} columns`)
    const cell = (field: FileColumn) => cells[placeOf[field] ?? -1]?.trim() ?? ''
    const completedAt = cell('measuredAt')
    if (completedAt && !parseHl7Time(hl7Time(completedAt))?.dateTime)
      throw new WrongFileError(`Result ${index + 1}: ${completedAt} is not a date with a time`)
    return {
      specimenId: cell('specimenId'),
      isControl: false,
      code: cell('code'),
      value: cell('value'),
      units: cell('units') || null,
      flags: flagsOf(
        cell('flags')
          .split(';')
          .map((flag) => flag.trim()),
        [],
      ),
      abnormalFlag: cell('flags') || null,
      status: cell('status').toUpperCase(),
      operator: cell('operator') || null,
      reagentLot: cell('reagentLot') || null,
      measuredAt: toInstant(hl7Time(completedAt)),
      completedAt,
      rawRecord: cells.join(delimiter),
    }
  })
  return { sentAt: '', results }
}

/** 'sep=;' ahead of the headings: Excel reads it and does not show it as a row. */
const separatorLine = /^sep=.[^\r\n]*(\r\n|\r|\n)/i

const recordsOf = (text: string, delimiter: string): string[][] => {
  try {
    const records: string[][] = parse(text.replace(/^\uFEFF/, '').replace(separatorLine, ''), {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
    })
    return records.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  } catch (error) {
    if (error instanceof CsvError) throw new WrongFileError('The file cannot be read as CSV')
    throw error
  }
}

const time = '(?:[T ](\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.\\d+)?)?)?\\s*(Z|[+-]\\d{2}:?\\d{2})?$'
const yearFirst = new RegExp(`^(\\d{4})-(\\d{1,2})-(\\d{1,2})${time}`)
const monthFirst = new RegExp(`^(\\d{1,2})/(\\d{1,2})/(\\d{4})${time}`)

/** A time in HL7 format, from 2026-11-19 08:20, 11/19/2026 08:20:05, or HL7 format itself. */
export const hl7Time = (text: string): string => {
  const iso = yearFirst.exec(text)
  const us = monthFirst.exec(text)
  const [year, month, day, rest] = iso
    ? [iso[1], iso[2], iso[3], iso.slice(4)]
    : us
      ? [us[3], us[1], us[2], us.slice(4)]
      : [undefined, '', '', []]
  if (year === undefined) return text
  const two = (part = '00') => part.padStart(2, '0')
  const [hours, minutes, seconds, zone = ''] = rest
  const offset = zone === 'Z' ? '+0000' : zone.replace(':', '')
  return `${year}${two(month)}${two(day)}${hours === undefined ? '' : `${two(hours)}${two(minutes)}${two(seconds)}${offset}`}`
}
