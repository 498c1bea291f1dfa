import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extractImages, getDocumentProxy } from 'unpdf'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { AppError } from '../../platform/errors.ts'
import { openPdf } from '../../platform/pdf/open-pdf.ts'
import { type FileContent, unreadable } from './content.ts'

const maxPages = 60
/** More than a report of 60 pages has. Limited because the text is compared on the main thread; the rest counts as not read. */
const maxCharacters = 250_000
const maxImages = 12
const maxPixels = 40_000_000
/** A sheet of 11 by 17 inches at 1,000 dots an inch. */
const maxScanPixels = 187_000_000
const pagesWithImages = 3

/** Reads a file and checks that it can be opened again to be stamped, corrected and encrypted. Runs in a limited process only. */
export const examine = async (bytes: Uint8Array, kind: string): Promise<FileContent> => {
  // The reader detaches the buffer it is given.
  const content = await readContent(new Uint8Array(bytes), kind)
  if (kind !== 'pdf' || content.fault) return content
  const fault = await openPdf(bytes).then(
    () => null,
    (error) => (error instanceof AppError && error.code === 'tooLarge' ? 'overLimit' : 'broken'),
  )
  return fault ? unreadable(fault) : content
}

export const readContent = async (bytes: Uint8Array, kind: string): Promise<FileContent> => {
  if (kind === 'pdf') return readPdf(bytes)
  if (kind === 'png' && pixelsOfPng(bytes) > maxScanPixels) return unreadable('overLimit')
  // The bar code reader decodes PNG and JPEG; TIFF it does not, so there is nothing to compare.
  const barCodes =
    kind === 'png' || kind === 'jpeg' ? await barCodesOf(new Blob([bytes as Uint8Array<ArrayBuffer>])) : []
  return { lines: [], barCodes, unreadPages: 0, fault: null }
}

/** The size in the header of a PNG. */
const pixelsOfPng = (bytes: Uint8Array): number => {
  if (bytes.length < 24) return 0
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return head.getUint32(16) * head.getUint32(20)
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

const readPdf = async (bytes: Uint8Array): Promise<FileContent> => {
  let pdf: Pdf
  try {
    pdf = await getDocumentProxy(bytes, { verbosity: 0 })
  } catch (error) {
    const isLocked = (error as Error).name === 'PasswordException'
    return unreadable(isLocked ? 'encrypted' : 'broken')
  }
  try {
    const lines: string[] = []
    const barCodes: string[] = []
    let letters = 0
    let read = 0
    for (; read < Math.min(pdf.numPages, maxPages); read++) {
      const page = await linesOf(pdf, read + 1)
      letters += page.reduce((sum, line) => sum + line.length + 1, 0)
      if (letters > maxCharacters) break
      for (const line of page) lines.push(line)
      if (read < pagesWithImages) barCodes.push(...(await pictureCodes(pdf, read + 1)))
    }
    return { lines, barCodes: [...new Set(barCodes)], unreadPages: pdf.numPages - read, fault: null }
  } catch {
    return unreadable('broken')
  } finally {
    await pdf.loadingTask.destroy()
  }
}

interface Piece {
  text: string
  left: number
  right: number
  base: number
}

const sameLine = 3 // points
const cellGap = 8
const longestLine = 5000 // no page is that wide; a longer line is an attack

/** Pieces on the same baseline make a line, from left to right in any drawing order; a wide gap starts a new cell. */
const linesOf = async (pdf: Pdf, number: number): Promise<string[]> => {
  const page = await pdf.getPage(number)
  const { items } = await page.getTextContent()
  const pieces: Piece[] = []
  for (const item of items) {
    if (!('str' in item) || item.str.trim() === '') continue
    const [, , , , left, base] = item.transform as number[]
    pieces.push({ text: item.str, left: left ?? 0, right: (left ?? 0) + item.width, base: base ?? 0 })
  }
  pieces.sort((one, other) => other.base - one.base || one.left - other.left)
  const rows: Piece[][] = []
  for (const piece of pieces) {
    const row = rows.at(-1)
    if (row?.[0] && Math.abs(row[0].base - piece.base) <= sameLine) row.push(piece)
    else rows.push([piece])
  }
  return rows.map(joined)
}

const joined = (row: Piece[]): string => {
  row.sort((one, other) => one.left - other.left)
  let text = ''
  let end = Number.NEGATIVE_INFINITY
  for (const piece of row) {
    const gap = piece.left - end
    text += text === '' ? '' : gap > cellGap ? '\t' : gap > 0.5 ? ' ' : ''
    text += piece.text
    end = piece.right
  }
  return storable(text.slice(0, longestLine))
    .replace(/\s{2,}/g, '\t')
    .trim()
}

/** The database stores neither a zero byte nor half a surrogate pair. */
const storable = (text: string) => text.replaceAll('\u0000', '').toWellFormed()

const pictureCodes = async (pdf: Pdf, number: number): Promise<string[]> => {
  const codes: string[] = []
  const pictures = await extractImages(pdf, number)
  for (const { data, width, height, channels } of pictures.slice(0, maxImages)) {
    if (width * height > maxPixels || width < 20 || height < 8) continue
    codes.push(...(await barCodesOf({ data: asRgba(data, width * height, channels), width, height })))
  }
  return codes
}

const asRgba = (data: Uint8ClampedArray, pixels: number, channels: number): Uint8ClampedArray => {
  if (channels === 4) return data
  const rgba = new Uint8ClampedArray(pixels * 4)
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let part = 0; part < 3; part++)
      rgba[pixel * 4 + part] = data[pixel * channels + (channels === 3 ? part : 0)] ?? 255
    rgba[pixel * 4 + 3] = 255
  }
  return rgba
}

let prepared: Promise<unknown> | null = null

/** Loads the reader's WebAssembly from the package; by default it would be fetched from the network. */
const prepare = async () => {
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  const binary = await readFile(file)
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(binary).buffer } })
}

type Picture = Blob | { data: Uint8ClampedArray; width: number; height: number }

const barCodesOf = async (picture: Picture): Promise<string[]> => {
  prepared ??= prepare()
  await prepared
  const found = await readBarcodes(picture as Blob, { tryHarder: true, maxNumberOfSymbols: 8 })
  return found.map(({ text }) => storable(text)).filter(Boolean)
}
