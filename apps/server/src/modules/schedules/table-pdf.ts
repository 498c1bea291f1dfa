import PDFDocument from 'pdfkit'
import { drawText } from '../../platform/pdf/text.ts'

interface Sheet {
  title: string
  headers: readonly string[]
  rows: readonly (readonly string[])[]
}

const margin = 36
const rowHeight = 13
const titleHeight = 24
const size = 7.5

/** A table on letter pages, landscape, with its headings on each page; a text that is too long for its column is cut with dots. */
export const tableAsPdf = ({ title, headers, rows }: Sheet): Promise<Buffer> => {
  const pdf = new PDFDocument({ size: 'LETTER', layout: 'landscape', margin: 0, info: { Title: title } })
  const { width, height } = pdf.page
  const widths = columnWidths(headers, rows, width - 2 * margin)
  const perPage = Math.floor((height - 2 * margin - titleHeight - rowHeight) / rowHeight)
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  for (let page = 0; page < pages; page++) {
    if (page > 0) pdf.addPage({ size: 'LETTER', layout: 'landscape', margin: 0 })
    write(pdf, `${title}, page ${page + 1} of ${pages}`, {
      x: margin,
      y: margin,
      width: width - 2 * margin,
      size: 11,
      isBold: true,
    })
    const top = margin + titleHeight
    drawRow(pdf, headers, widths, top, true)
    for (const [index, row] of rows.slice(page * perPage, (page + 1) * perPage).entries())
      drawRow(pdf, row, widths, top + (index + 1) * rowHeight, false)
  }
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    pdf.on('data', (part: Buffer) => parts.push(part))
    pdf.on('end', () => resolve(Buffer.concat(parts)))
    pdf.on('error', reject)
    pdf.end()
  })
}

/** Determined by the longest texts of the first rows; no column is wider than three times its share. */
const columnWidths = (headers: readonly string[], rows: readonly (readonly string[])[], width: number): number[] => {
  const lengths = headers.map((header, index) =>
    Math.min(30, Math.max(header.length, 4, ...rows.slice(0, 200).map((row) => (row[index] ?? '').length))),
  )
  const all = lengths.reduce((sum, length) => sum + length, 0)
  return lengths.map((length) => (width * length) / all)
}

const drawRow = (
  pdf: PDFKit.PDFDocument,
  cells: readonly string[],
  widths: readonly number[],
  y: number,
  isBold: boolean,
) => {
  let x = margin
  for (const [index, width] of widths.entries()) {
    write(pdf, cells[index] ?? '', { x, y, width: width - 4, size, isBold })
    x += width
  }
  pdf
    .moveTo(margin, y + rowHeight - 3)
    .lineTo(x, y + rowHeight - 3)
    .lineWidth(isBold ? 0.8 : 0.2)
    .strokeColor('#888888')
    .stroke()
}

const write = (
  pdf: PDFKit.PDFDocument,
  words: string,
  { x, y, ...look }: { x: number; y: number; width: number; size: number; isBold: boolean },
) => drawText(pdf, words, x, y, { ...look, isShort: true })
