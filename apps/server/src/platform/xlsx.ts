import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

// Our own writer: libraries build an object for each cell, which took longer than reading the rows from the database.

/** A number or a date with its own format: two times in one column may have different zones. */
export interface FormattedCell {
  value: number | Date
  /** e.g. 'mm/dd/yy hh:mm "EST"' */
  format: string
  /** The formatted text, for files without formats. */
  text: string
}

/** What a cell can hold. Text is always text: nothing is ever written as a formula. */
export type CellValue = string | number | boolean | Date | FormattedCell | null

export interface SheetColumn {
  header: string
  /** In characters; by default determined from the first rows. */
  width?: number
  /** The format of numbers and dates, e.g. 'mm/dd/yyyy'. */
  format?: string | undefined
}

export interface Sheet {
  name: string
  columns: readonly SheetColumn[]
  /** In chunks: an await per row would take as long as writing it. */
  rows: AsyncIterable<CellValue[][]> | Iterable<CellValue[][]>
  /** The maximum of a sheet; further rows go to further sheets. */
  rowsPerSheet?: number
}

/** Streams a spreadsheet file: memory does not grow with the rows. */
export const writeXlsx = ({ name, columns, rows, rowsPerSheet = 1_048_576 }: Sheet): Readable => {
  const zip = new ZipFile()
  const body = zip.outputStream as Readable
  const source = rowSource(rows)
  const fail = (error: Error) => body.destroy(error)
  zip.on('error', fail)
  // A caller that disconnects must not keep the database busy; an error of closing the source has no reader any more.
  body.once('close', () => source.end().catch(() => undefined))
  const styles = openStyles()
  const write = async () => {
    let sheets = 0
    do {
      sheets++
      await addSheet(zip, `xl/worksheets/sheet${sheets}.xml`, sheetXml(columns, source, rowsPerSheet, styles))
    } while (!(await source.isAtEnd()))
    for (const [path, text] of Object.entries(otherParts(name, styles, sheets))) zip.addBuffer(Buffer.from(text), path)
    zip.end()
  }
  write().catch(fail)
  return body
}

const addSheet = (zip: ZipFile, path: string, xml: AsyncIterable<Buffer>) =>
  new Promise<void>((done, failed) => {
    const stream = Readable.from(xml, { objectMode: false, highWaterMark: chunkSize })
    stream.once('end', done).once('error', failed)
    // The fastest level: files are an eighth larger than at the default level, and take half the time.
    zip.addReadStream(stream, path, { compressionLevel: 1 })
  })

/** Reads chunks of rows and returns them in portions of any size. */
const rowSource = (rows: Sheet['rows']) => {
  const chunks = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  let left: CellValue[][] = []
  let hasEnded = false
  const fill = async () => {
    while (left.length === 0 && !hasEnded) {
      const next = await chunks.next()
      if (next.done) hasEnded = true
      else left = next.value
    }
  }
  return {
    /** At most `limit` rows; none at the end. */
    take: async (limit: number): Promise<CellValue[][]> => {
      await fill()
      const taken = left.length > limit ? left.slice(0, limit) : left
      left = left.length > limit ? left.slice(limit) : []
      return taken
    },
    isAtEnd: async () => {
      await fill()
      return left.length === 0
    },
    end: async () => {
      hasEnded = true
      await chunks.return?.()
    },
  }
}
type RowSource = ReturnType<typeof rowSource>

const chunkSize = 256 * 1024

async function* sheetXml(
  columns: readonly SheetColumn[],
  source: RowSource,
  maxRows: number,
  styles: Styles,
): AsyncGenerator<Buffer> {
  const letters = columns.map((_, index) => lettersOf(index))
  const columnStyles = columns.map(({ format }) => (format ? styles.of(format) : ''))
  const first = await source.take(maxRows - 1)
  const headers = columns.map(({ header }) => header)
  let xml = `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${colsXml(columns, first)}</cols><sheetData>`
  const headerStyles = headers.map(() => ` s="${bold}"`)
  xml += rowXml(1, headers, { letters, columnStyles: headerStyles, styles })
  let written = 1
  for (let rows = first; rows.length > 0; rows = written < maxRows ? await source.take(maxRows - written) : []) {
    for (const row of rows) {
      xml += rowXml(++written, row, { letters, columnStyles, styles })
      if (xml.length >= chunkSize) {
        yield Buffer.from(xml)
        xml = ''
      }
    }
  }
  yield Buffer.from(`${xml}</sheetData></worksheet>`)
}

interface RowFormat {
  letters: readonly string[]
  columnStyles: readonly string[]
  styles: Styles
}

const rowXml = (number: number, cells: readonly CellValue[], { letters, columnStyles, styles }: RowFormat) => {
  let xml = `<row r="${number}">`
  for (let index = 0; index < cells.length; index++) {
    const value = cells[index]
    if (value === null || value === undefined || value === '') continue
    const start = `<c r="${letters[index]}${number}"`
    const style = columnStyles[index] ?? ''
    if (typeof value === 'string') xml += `${start}${style} t="inlineStr"><is>${textXml(value)}</is></c>`
    else if (typeof value === 'number') xml += numberXml(start, style, value)
    else if (typeof value === 'boolean') xml += `${start}${style} t="b"><v>${value ? 1 : 0}</v></c>`
    else if (value instanceof Date) xml += numberXml(start, style || ` s="${day}"`, serialOf(value))
    else {
      const own = value.value instanceof Date ? serialOf(value.value) : value.value
      xml += numberXml(start, styles.of(value.format), own)
    }
  }
  return `${xml}</row>`
}

const numberXml = (start: string, style: string, value: number) =>
  Number.isFinite(value) ? `${start}${style}><v>${value}</v></c>` : ''

// A spreadsheet reads `_x0041_` as the letter A, so the underscore of such a text is escaped the same way, as are characters that XML
// does not allow. Lone surrogates are replaced.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be found
const special = /[<>&\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const isPlain = /^(?! )[^<>&\u0000-\u001f_\ud800-\udfff\ufffe\uffff]*(?<! )$/
const entities: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }
/** The maximum of a cell; a longer text would make the file unreadable. */
const maxCellLength = 32_767

const textXml = (text: string): string =>
  text.length <= maxCellLength && isPlain.test(text)
    ? `<t>${text}</t>`
    : `<t xml:space="preserve">${escaped(text.slice(0, maxCellLength))}</t>`

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      special,
      (found) => entities[found] ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )

/** Days since the end of 1899, with the February 29, 1900 that spreadsheets assume. */
const serialOf = (date: Date): number => {
  const days = (date.getTime() - Date.UTC(1899, 11, 31)) / 86_400_000
  return Math.round((days >= 60 ? days + 1 : days) * 1e10) / 1e10
}

/** 0 is A, 26 is AA. */
const lettersOf = (index: number): string =>
  (index >= 26 ? lettersOf(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))

const colsXml = (columns: readonly SheetColumn[], first: readonly CellValue[][]): string =>
  columns
    .map(({ header, width }, index) => {
      const texts = () => first.slice(0, 200).map((row) => shownText(row[index]).length)
      const chosen = width ?? Math.min(60, Math.max(header.length, ...texts()) + 2)
      return `<col min="${index + 1}" max="${index + 1}" width="${chosen}" customWidth="1"/>`
    })
    .join('')

const shownText = (cell: CellValue | undefined) =>
  typeof cell === 'object' && cell !== null && 'text' in cell ? cell.text : String(cell ?? '')

// ── other parts of the file ──────────────────────────────────────────────────────────────────────────────────────────

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const rels = 'http://schemas.openxmlformats.org/package/2006/relationships'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Indexes of the cell styles: bold headers, dates, then one for each format in the order of its first use. */
const bold = 1
const day = 2
const firstFormat = 2
const firstFormatId = 164

/** Collects the formats of a file, which are written at its end. */
const openStyles = () => {
  const formats = new Map([['yyyy-mm-dd', ` s="${day}"`]])
  return {
    formats: () => [...formats.keys()],
    /** The style attribute of a cell with this format. */
    of: (format: string): string => {
      let style = formats.get(format)
      if (style === undefined) {
        style = ` s="${firstFormat + formats.size}"`
        formats.set(format, style)
      }
      return style
    },
  }
}
type Styles = ReturnType<typeof openStyles>

const otherParts = (name: string, styles: Styles, sheets: number): Record<string, string> => {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1)
  const each = (text: (number: number) => string) => numbers.map(text).join('')
  return {
    'xl/styles.xml': stylesXml(styles.formats()),
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${each(
      (n) => `<sheet name="${attribute(sheetName(name, n))}" sheetId="${n}" r:id="rId${n}"/>`,
    )}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${rels}">${each(
      (n) => `<Relationship Id="rId${n}" Type="${office}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
    )}<Relationship Id="rId${sheets + 1}" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    '_rels/.rels': `${declaration}<Relationships xmlns="${rels}"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>${each(
      (n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${types}.worksheet+xml"/>`,
    )}</Types>`,
  }
}

/** At most 31 characters, and none that a spreadsheet forbids. */
const sheetName = (name: string, number: number) => {
  const suffix = number === 1 ? '' : `_${number}`
  return `${name.replace(/[\\/?*[\]:]/g, '_').slice(0, 31 - suffix.length)}${suffix}`
}

const attribute = (text: string) => escaped(text).replaceAll('"', '&quot;')

const stylesXml = (formats: readonly string[]): string => {
  const plain = (fontId: number, numFmtId: number) =>
    `<xf numFmtId="${numFmtId}" fontId="${fontId}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
  return `${declaration}<styleSheet xmlns="${main}"><numFmts count="${formats.length}">${formats
    .map((format, index) => `<numFmt numFmtId="${firstFormatId + index}" formatCode="${attribute(format)}"/>`)
    .join(
      '',
    )}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${formats.length + 2}">${plain(0, 0)}${plain(1, 0)}${formats
    .map((_, index) => plain(0, firstFormatId + index))
    .join('')}</cellXfs></styleSheet>`
}
