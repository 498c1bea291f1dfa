import type { LabelType } from '@lis/contract/labels.ts'
import bwip from 'bwip-js/node'
import PDFDocument from 'pdfkit'
import { capitals, drawText, widthOfText } from '../../platform/pdf/text.ts'
import { type Label, labelSizes } from './label.ts'

const pointsPerInch = 72

const layouts: Record<
  LabelType,
  { barHeight: number; module: number; titleSize: number; lineSize: number; codeSize: number }
> = {
  BARCODE: { barHeight: 22, module: 1.25, titleSize: 9, lineSize: 6.75, codeSize: 5 },
  CRYO: { barHeight: 16, module: 0.8, titleSize: 7.5, lineSize: 6, codeSize: 5 },
}
const margin = 4
/** Smaller letters cannot be read. */
const smallest = 4.5

/** One page per label, of the size of the label: it fits any printer at 100 %. */
export const labelsAsPdf = (type: LabelType, labels: readonly Label[]): Promise<Buffer> => {
  const { widthInch, heightInch } = labelSizes[type]
  const size: [number, number] = [widthInch * pointsPerInch, heightInch * pointsPerInch]
  const pdf = new PDFDocument({ size, margin: 0, autoFirstPage: false, info: { Title: 'Labels' } })
  for (const label of labels) {
    pdf.addPage({ size, margin: 0 })
    drawLabel(pdf, type, label, size)
  }
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    pdf.on('data', (part: Buffer) => parts.push(part))
    pdf.on('end', () => resolve(Buffer.concat(parts)))
    pdf.on('error', reject)
    pdf.end()
  })
}

/** Draws a label at the origin of the page. */
export const drawLabel = (pdf: PDFKit.PDFDocument, type: LabelType, label: Label, [width]: [number, number]) => {
  const { barHeight, module, titleSize, lineSize, codeSize } = layouts[type]
  drawBars(pdf, label.barCode, { width, module, height: barHeight })
  let y = margin + barHeight + 1
  const text = (words: string, size: number, isBold = false) => {
    const [fitting, fittingSize] = fitted(words, { size, isBold }, width - 2 * margin)
    // On the baseline of the full size.
    drawText(pdf, fitting, margin, y + capitals * (size - fittingSize), { size: fittingSize, isBold })
    y += size + 0.25
  }
  text(label.title, titleSize, true)
  for (const line of label.lines) text(line, lineSize)
  for (const line of label.codeLines) text(line, codeSize)
}

interface Bars {
  width: number
  module: number
  height: number
}

/** Centred, so that the quiet zones on both sides are as wide as the label allows. */
const drawBars = (pdf: PDFKit.PDFDocument, text: string, { width, module, height }: Bars) => {
  const [symbol] = bwip.raw({ bcid: 'code128', text }) as { sbs: number[] }[]
  const widths = symbol?.sbs ?? []
  let x = (width - widths.reduce((sum, one) => sum + one, 0) * module) / 2
  widths.forEach((one, index) => {
    if (index % 2 === 0) pdf.rect(x, margin, one * module, height)
    x += one * module
  })
  pdf.fill('#000000')
}

/** A text that is too long is set smaller, and only one that is far too long is cut. */
const fitted = (
  text: string,
  { size, isBold }: { size: number; isBold: boolean },
  available: number,
): [text: string, fittingSize: number] => {
  const widthAt = (words: string, at: number) => widthOfText(words, { size: at, isBold })
  const fullWidth = widthAt(text, size)
  const fittingSize = fullWidth <= available ? size : Math.max(smallest, (size * available) / fullWidth)
  if (widthAt(text, fittingSize) <= available + 0.01) return [text, fittingSize]
  const letters = Array.from(text)
  while (letters.length > 1 && widthAt(`${letters.join('')}...`, fittingSize) > available) letters.pop()
  return [`${letters.join('')}...`, fittingSize]
}
