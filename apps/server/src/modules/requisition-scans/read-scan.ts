import type { ScanFieldName } from '@lis/contract/requisition-scans.ts'
import { AppError } from '../../platform/errors.ts'
import { picturesOf } from '../../platform/ocr/pictures.ts'
import { cutOut, openTextReader, type ReadPage, type TextReader } from '../../platform/ocr/text-reader.ts'
import type { FileKind } from '../../platform/storage/sniff.ts'
import { type FoundValue, findValues, readValue } from './sheet-parser.ts'

const maxPages = 5

export interface ReadField {
  name: ScanFieldName
  value: string
  confidence: number
  isUnsure: boolean
  page: number
  box: [x: number, y: number, width: number, height: number]
  piece: Buffer
}

/** Values below this confidence are offered as unsure. */
const minConfidence = 0.8

/** The fields of a scanned requisition. Runs in a limited process only. */
export const readScan = async (bytes: Uint8Array, kind: FileKind, today: string): Promise<ReadField[]> => {
  const { count, page } = await picturesOf(bytes, kind, { maxPages })
  const reader = await openTextReader()
  try {
    const fields: ReadField[] = []
    for (let index = 0; index < count; index++) {
      const { found, read } = await readUpright(reader, await page(index))
      for (const value of found) fields.push(await readField(reader, read, value, { page: index + 1, today }))
    }
    if (fields.length === 0) throw new AppError('invalid', 'No label of a requisition was found on the scan')
    return withDoubts(fields)
  } finally {
    await reader.close()
  }
}

/** Read again upside down if no labels were found. */
const readUpright = async (reader: TextReader, picture: Buffer) => {
  const read = await reader.readPage(picture, 0)
  const found = findValues(read.words)
  if (found.length > 0) return { read, found }
  const turned = await reader.readPage(picture, 180)
  return { read: turned, found: findValues(turned.words) }
}

const readField = async (
  reader: TextReader,
  { picture }: ReadPage,
  found: FoundValue,
  { page, today }: { page: number; today: string },
): Promise<ReadField> => {
  const { name, left, top, right, bottom } = found
  const height = bottom - top
  const value = readValue(name, found.text, today)
  const again = await reader.readLine(await cutOut(picture, found, height * 0.25))
  const isSame = readValue(name, again.text, today) === value
  const confidence = Math.min(found.confidence, again.confidence, isSame ? 1 : 0.5)
  return {
    name,
    value: value ?? found.text,
    confidence: Math.round(confidence * 100) / 100,
    isUnsure: value === undefined || !isSame || confidence < minConfidence,
    page,
    box: [left, top, right - left, height],
    piece: await cutOut(picture, found, height * 0.4),
  }
}

/** One field for each name: the most certain one. If two disagree, it is unsure. */
const withDoubts = (fields: readonly ReadField[]): ReadField[] =>
  [...Map.groupBy(fields, ({ name }) => name).values()].map((same) => {
    const best = same.reduce((one, other) => (other.confidence > one.confidence ? other : one))
    return { ...best, isUnsure: best.isUnsure || same.some(({ value }) => value !== best.value) }
  })
