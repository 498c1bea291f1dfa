import bwip from 'bwip-js/node'
import PDFDocument from 'pdfkit'
import { markArtifact, startStructure } from '../../platform/pdf/structure.ts'
import { drawText, heightOfText } from '../../platform/pdf/text.ts'

export type Page = PDFKit.PDFDocument

export const left = 48
export const right = 564
export const bottom = 700
export const ink = '#17212f'
export const faint = '#5b6675'
const line = '#c9d1db'
export const warning = '#a3271b'

export const renderPdf = (title: string, at: Date, compress: boolean, drawOn: (page: Page) => void): Promise<Buffer> =>
  new Promise((done, fail) => {
    const page = new PDFDocument({
      size: 'LETTER',
      margin: 0,
      compress,
      // All texts have fonts of their own; the default one takes 2 ms to read.
      font: '',
      bufferPages: true,
      // Tags need 1.4, their attributes 1.5.
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en-US',
      displayTitle: true,
      info: { Title: title, CreationDate: at, ModDate: at },
    })
    const chunks: Buffer[] = []
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.once('end', () => done(Buffer.concat(chunks)))
    page.once('error', fail)
    startStructure(page)
    drawOn(page)
    page.end()
  })

export interface TextOptions {
  size?: number
  bold?: boolean
  color?: string
  width?: number
  align?: 'left' | 'center' | 'right'
}

export const put = (
  page: Page,
  text: string,
  x: number,
  y: number,
  { size = 9, bold = false, color = ink, width, align }: TextOptions = {},
) => drawText(page, text, x, y, { size, isBold: bold, color, align, ...(width !== undefined && { width }) })

/** The height of a text in its column, in points; nothing on a report is cut off. */
export const heightOf = (text: string, { size = 9, bold = false, width = 0 }: TextOptions) =>
  heightOfText(text, { size, isBold: bold, width })

export const rule = (page: Page, y: number, color = line) =>
  markArtifact(page, () => page.moveTo(left, y).lineTo(right, y).lineWidth(0.5).strokeColor(color).stroke())

/** The widths of alternating bars and gaps, in modules. */
export const barsOf = (text: string): number[] => {
  const [symbol] = bwip.raw({ bcid: 'code128', text }) as { sbs: number[] }[]
  return symbol?.sbs ?? []
}

const barHeight = 24
export const drawBars = (page: Page, bars: readonly number[], text: string, y: number) => {
  const total = bars.reduce((sum, width) => sum + width, 0)
  const module = 1.1
  let x = right - total * module
  const middle = x + (total * module) / 2
  markArtifact(page, () => {
    page.fillColor('#000000')
    bars.forEach((width, index) => {
      if (index % 2 === 0) page.rect(x, y, width * module, barHeight)
      x += width * module
    })
    page.fill()
  })
  put(page, text, middle - 60, y + barHeight + 3, { size: 8, width: 120, align: 'center' })
}
