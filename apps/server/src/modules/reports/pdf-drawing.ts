import bwip from 'bwip-js/node'
import PDFDocument from 'pdfkit'
import { baselineOf, chooseFont, isWestern, toPrintable } from '../../platform/pdf/fonts.ts'
import { mark, markArtifact, startStructure } from '../../platform/pdf/structure.ts'

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
  { size = 9, bold, color = ink, width, align }: TextOptions = {},
) => {
  const shown = toPrintable(text)
  if (shown === '') return
  mark(page, () => {
    chooseFont(page, shown, bold).fontSize(size).fillColor(color)
    page.text(shown, x, y, {
      ...baselineOf(size),
      lineBreak: width !== undefined,
      ...(width && { width }),
      ...(align && { align }),
    })
  })
}

/** The height of a text in its column, in points; nothing on a report is cut off. */
export const heightOf = (page: Page, text: string, { size = 9, bold, width = 0 }: TextOptions) => {
  const shown = toPrintable(text)
  if (maxWidth(shown) * size < width && isWestern(shown)) return size + 2
  return chooseFont(page, shown, bold).fontSize(size).heightOfString(shown, { width })
}

/** An upper bound for the width in bold, relative to the font size: measuring is slower than writing, and most texts are short. */
const maxWidth = (text: string) => {
  const narrow = text.match(/[a-ln-vx-z0-9 .,:;()/'-]/g)?.length ?? 0
  return narrow * 0.62 + (text.length - narrow)
}

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
