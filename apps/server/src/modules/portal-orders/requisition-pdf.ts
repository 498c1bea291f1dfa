import bwip from 'bwip-js/node'
import PDFDocument from 'pdfkit'
import { drawText, heightOfText } from '../../platform/pdf/text.ts'
import { type LabelSource, labelSizes, labelsOf } from '../labels/label.ts'
import { drawLabel } from '../labels/label-pdf.ts'

/** The content of the printed requisition. */
export interface PrintedRequisition {
  label: LabelSource
  clientName: string
  clientAddress: string
  physName: string
  labName: string
  patientGender: string
  /** In the client's time zone; null while the sample is not taken. */
  collected: string | null
  tests: string[]
  icds: string[]
  insurances: string[]
}

const pointsPerInch = 72
const margin = 48
const pageWidth = 8.5 * pointsPerInch
const textWidth = pageWidth - 2 * margin
const labelsPerRow = 3

/** One letter page: the order, the bar code of the requisition, and labels for the tubes. */
export const requisitionAsPdf = (one: PrintedRequisition): Promise<Buffer> => {
  const pdf = new PDFDocument({ size: 'LETTER', margin: 0, info: { Title: `Requisition ${one.label.id}` } })
  drawHead(pdf, one)
  drawFacts(pdf, one)
  drawTubeLabels(pdf, one.label)
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    pdf.on('data', (part: Buffer) => parts.push(part))
    pdf.on('end', () => resolve(Buffer.concat(parts)))
    pdf.on('error', reject)
    pdf.end()
  })
}

interface Text {
  size?: number
  isBold?: boolean
  width?: number
}

const write = (
  pdf: PDFKit.PDFDocument,
  words: string,
  x: number,
  y: number,
  { size = 10, isBold = false, width = textWidth }: Text = {},
) => drawText(pdf, words, x, y, { size, isBold, width })

const drawHead = (pdf: PDFKit.PDFDocument, { label, clientName, clientAddress, labName }: PrintedRequisition) => {
  write(pdf, clientName, margin, margin, { size: 16, isBold: true, width: 300 })
  write(pdf, clientAddress, margin, margin + 24, { width: 300 })
  write(pdf, `To ${labName}`, margin, margin + 40, { width: 300 })
  const [symbol] = bwip.raw({ bcid: 'code128', text: String(label.id) }) as { sbs: number[] }[]
  const bars = symbol?.sbs ?? []
  const module = 1.5
  const left = pageWidth - margin - bars.reduce((sum, one) => sum + one, 0) * module
  let x = left
  bars.forEach((one, index) => {
    if (index % 2 === 0) pdf.rect(x, margin, one * module, 40)
    x += one * module
  })
  pdf.fill('#000000')
  write(pdf, `Requisition ${label.id}`, left, margin + 46, { isBold: true, width: pageWidth - margin - left })
  pdf
    .moveTo(margin, margin + 70)
    .lineTo(pageWidth - margin, margin + 70)
    .lineWidth(0.75)
    .stroke('#000000')
}

const byHand = '____ / ____ / ________   at ____ : ____   by ______________________'

const drawFacts = (pdf: PDFKit.PDFDocument, one: PrintedRequisition) => {
  const { label } = one
  const [year, month, day] = label.dob.split('-')
  const facts: [string, string][] = [
    ['Patient', `${label.lastName}, ${label.firstName}`],
    ['Birth date, sex', `${month}/${day}/${year}, ${one.patientGender}`],
    ['Ordered by', one.physName],
    ['Collected', one.collected ?? byHand],
    ['Tests', one.tests.join('\n')],
    ['Diagnoses', one.icds.join('\n') || 'None given'],
    ['Insurance', one.insurances.join('\n') || 'None given'],
  ]
  let y = margin + 84
  for (const [name, value] of facts) {
    // As much as fits above the labels; the laboratory has the complete order anyway, and the codes are on the labels.
    if (y > labelsTop - 40) break
    write(pdf, name, margin, y, { width: 100 })
    const isBold = name === 'Patient'
    const height = heightOfText(value, { size: 10, isBold, width: textWidth - 110 })
    pdf
      .save()
      .rect(margin, y, textWidth, Math.max(0, labelsTop - 24 - y))
      .clip()
    write(pdf, value, margin + 110, y, { isBold, width: textWidth - 110 })
    pdf.restore()
    y += height + 8
  }
}

const labelRows = 2
const labelHeight = labelSizes.BARCODE.heightInch * pointsPerInch
const labelWidth = labelSizes.BARCODE.widthInch * pointsPerInch
const labelsTop = 11 * pointsPerInch - margin - labelRows * (labelHeight + 6)

const drawTubeLabels = (pdf: PDFKit.PDFDocument, source: LabelSource) => {
  write(pdf, 'Labels for the tubes', margin, labelsTop - 16, { size: 9 })
  const gap = (textWidth - labelsPerRow * labelWidth) / (labelsPerRow - 1)
  labelsOf('BARCODE', source)
    .slice(0, labelsPerRow * labelRows)
    .forEach((label, index) => {
      const x = margin + (index % labelsPerRow) * (labelWidth + gap)
      const y = labelsTop + Math.floor(index / labelsPerRow) * (labelHeight + 6)
      pdf.rect(x, y, labelWidth, labelHeight).lineWidth(0.5).dash(2, { space: 2 }).stroke('#777777').undash()
      pdf.save().translate(x, y)
      drawLabel(pdf, 'BARCODE', label, [labelWidth, labelHeight])
      pdf.restore()
    })
}
