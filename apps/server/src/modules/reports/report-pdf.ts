import bwip from 'bwip-js/node'
import { DateTime } from 'luxon'
import PDFDocument from 'pdfkit'
import type { ReportContent, ReportResult } from './content.ts'

export interface ReportIssue {
  versionNo: number
  madeAt: Date
  /** Only a correction has them. */
  correctionReason?: string
  changes?: readonly string[]
  isDemo?: boolean
}

type Page = PDFKit.PDFDocument

const left = 48
const right = 564
const bottom = 700
const ink = '#17212f'
const faint = '#5b6675'
const line = '#c9d1db'
const columns = { name: left, value: 214, flag: 282, unit: 306, range: 362, interpretation: 428, earlier: 500 }

/** Letter paper, one column of results, the accession bar code on every page, 'page x of y' at the end of each. */
export const renderReport = (content: ReportContent, issue: ReportIssue, compress = true): Promise<Buffer> =>
  new Promise((done, fail) => {
    const page = new PDFDocument({
      size: 'LETTER',
      margin: 0,
      compress,
      bufferPages: true,
      info: { Title: `Laboratory report ${content.requisitionId}`, CreationDate: issue.madeAt, ModDate: issue.madeAt },
    })
    const chunks: Buffer[] = []
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.once('end', () => done(Buffer.concat(chunks)))
    page.once('error', fail)
    draw(page, content, issue)
    page.end()
  })

const draw = (page: Page, content: ReportContent, issue: ReportIssue) => {
  const bars = barsOf(String(content.requisitionId))
  const start = () => drawHead(page, content, issue, bars)
  const newPage = () => {
    page.addPage()
    return start()
  }
  let y = drawPeople(page, content, issue, start())
  if (issue.versionNo > 1) y = drawCorrection(page, issue, y, newPage)
  y = drawResults(page, content, y, newPage)
  drawRest(page, content, y, newPage)
  numberPages(page, content, issue)
}

/** The widths of bars and gaps in turn, in modules. */
const barsOf = (text: string): number[] => {
  const [symbol] = bwip.raw({ bcid: 'code128', text }) as { sbs: number[] }[]
  return symbol?.sbs ?? []
}

const barHeight = 24
const drawBars = (page: Page, bars: readonly number[], text: string, y: number) => {
  const total = bars.reduce((sum, width) => sum + width, 0)
  const module = 1.1
  let x = right - total * module
  const middle = x + (total * module) / 2
  page.fillColor('#000000')
  bars.forEach((width, index) => {
    if (index % 2 === 0) page.rect(x, y, width * module, barHeight)
    x += width * module
  })
  page.fill()
  put(page, text, middle - 60, y + barHeight + 3, { size: 8, width: 120, align: 'center' })
}

interface Put {
  size?: number
  bold?: boolean
  color?: string
  width?: number
  align?: 'left' | 'center' | 'right'
}

const put = (
  page: Page,
  text: string,
  x: number,
  y: number,
  { size = 9, bold, color = ink, width, align }: Put = {},
) => {
  page
    .font(bold ? 'Helvetica-Bold' : 'Helvetica')
    .fontSize(size)
    .fillColor(color)
  page.text(printable(text), x, y, { lineBreak: width !== undefined, ...(width && { width }), ...(align && { align }) })
}

/** How many points a text takes in its column; nothing on a report is ever cut off. */
const heightOf = (page: Page, text: string, { size = 9, width = 0 }: Put) => {
  // Measuring costs more than writing, and most texts are short: half a letter's size is wider than the average letter.
  if (text.length * size * 0.5 < width) return size + 2
  return page.font('Helvetica-Bold').fontSize(size).heightOfString(printable(text), { width })
}

/** The built-in fonts know Latin letters: what they cannot draw is shown in its plain form, never as a wrong letter. */
const printable = (text: string) =>
  text
    .normalize('NFC')
    .replaceAll('≤', '<=')
    .replaceAll('≥', '>=')
    .replace(/[^\x20-\x7e\xa0-\xff–—‘’“”•…€\n]/g, (char) => char.normalize('NFD').replace(/[^\x20-\x7e]/g, '') || '?')

const rule = (page: Page, y: number, color = line) =>
  page.moveTo(left, y).lineTo(right, y).lineWidth(0.5).strokeColor(color).stroke()

const drawHead = (page: Page, content: ReportContent, { versionNo }: ReportIssue, bars: readonly number[]): number => {
  put(page, content.lab.name, left, 40, { size: 15, bold: true })
  put(page, versionNo > 1 ? 'CORRECTED LABORATORY REPORT' : 'Laboratory report', left, 60, {
    size: 10,
    color: versionNo > 1 ? '#a3271b' : faint,
    bold: versionNo > 1,
  })
  drawBars(page, bars, String(content.requisitionId), 38)
  rule(page, 82, ink)
  put(page, `${content.patient.name}   ${sexOf(content)}   born ${dateOnly(content.patient.dob)}`, left, 89, {
    size: 10,
    bold: true,
  })
  put(page, `Accession # ${content.requisitionId}   Version ${versionNo}`, right - 220, 89, {
    width: 220,
    align: 'right',
  })
  rule(page, 106)
  return 114
}

const sexOf = ({ patient }: ReportContent) => (patient.sex === 'MALE' ? 'Male' : 'Female')
const dateOnly = (iso: string) => DateTime.fromISO(iso).toFormat('MM/dd/yyyy')
const moment = (iso: string, zone: string) => DateTime.fromISO(iso, { zone }).toFormat('MM/dd/yyyy HH:mm ZZZZ')

const drawPeople = (page: Page, content: ReportContent, issue: ReportIssue, top: number): number => {
  const { client, physician, lab, collectedZone: zone } = content
  const facts: [string, string][][] = [
    [
      ['Client', client.name],
      ['Client ID', client.id],
      ['Address', client.address],
      ['Phone', client.phone.replace(/^1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')],
      ['Physician', `${physician.name}  NPI ${physician.npi}`],
    ],
    [
      ['Collected', moment(content.collectedAt, zone)],
      ['Received', content.receivedAt ? moment(content.receivedAt, lab.zone) : ''],
      ['Reported', moment(issue.madeAt.toISOString(), lab.zone)],
      ['Fasting', content.fasting === null ? 'Not stated' : content.fasting ? 'Yes' : 'No'],
      ['Order ID', content.extOrderId ?? ''],
    ],
  ]
  const ends = facts.map((column, index) => {
    const x = index === 0 ? left : 336
    const width = index === 0 ? 222 : 172
    let y = top
    for (const [label, text] of column) {
      put(page, label, x, y, { color: faint, size: 8 })
      put(page, text, x + 54, y, { width })
      y += heightOf(page, text, { width }) + 2
    }
    return y
  })
  const end = Math.max(...ends) + 3
  rule(page, end)
  return end + 10
}

const drawCorrection = (page: Page, issue: ReportIssue, top: number, newPage: () => number): number => {
  put(page, `This report replaces version ${issue.versionNo - 1}. Please discard it.`, left, top, {
    bold: true,
    color: '#a3271b',
  })
  const width = right - left
  const reason = `Reason: ${issue.correctionReason ?? ''}`
  put(page, reason, left, top + 13, { width })
  let y = top + 17 + heightOf(page, reason, { width })
  const changes = issue.changes ?? []
  for (const change of changes.length > 0 ? changes : ['No value on this report has changed.']) {
    if (y > bottom) y = newPage()
    put(page, `• ${change}`, left + 8, y, { width: width - 8 })
    y += heightOf(page, `• ${change}`, { width: width - 8 }) + 2
  }
  rule(page, y + 3)
  return y + 12
}

const drawColumns = (page: Page, y: number): number => {
  const head = { size: 8, color: faint } as const
  put(page, 'Test', columns.name, y, head)
  put(page, 'Result', columns.value, y, head)
  put(page, 'Flag', columns.flag, y, head)
  put(page, 'Units', columns.unit, y, head)
  put(page, 'Normal range', columns.range, y, head)
  put(page, 'Interpretation', columns.interpretation, y, head)
  put(page, 'Earlier values', columns.earlier, y, head)
  rule(page, y + 12, ink)
  return y + 18
}

const drawResults = (page: Page, { results }: ReportContent, top: number, newPage: () => number): number => {
  let y = drawColumns(page, top)
  for (const result of results) {
    const cells = cellsOf(result)
    const height = Math.max(...cells.map(({ text, look }) => heightOf(page, text, look)))
    const under = result.comment ? heightOf(page, result.comment, commentLook) : 0
    if (y + height + under > bottom) y = drawColumns(page, newPage())
    for (const { text, x, look } of cells) put(page, text, x, y, look)
    if (result.value) drawTrend(page, result, y)
    if (result.comment) put(page, result.comment, columns.name + 8, y + height, commentLook)
    rule(page, y + height + under + 1, '#e5e9ee')
    y += height + under + 5
  }
  if (results.length === 0) put(page, 'No results yet.', left, y, { color: faint })
  return y + 8
}

const commentLook: Put = { size: 8, color: faint, width: right - left - 8 }

const cellsOf = (result: ReportResult): { text: string; x: number; look: Put }[] => {
  const name = { text: result.name, x: columns.name, look: { width: columns.value - columns.name - 6 } }
  if (!result.value)
    return [
      name,
      { text: `Not reported: ${result.failReasons}`, x: columns.value, look: { width: right - columns.value } },
    ]
  const tone = result.flag === '' ? {} : { bold: true, color: '#a3271b' }
  return [
    name,
    { text: result.value, x: columns.value, look: { ...tone, width: 64 } },
    { text: result.flag, x: columns.flag, look: { ...tone, width: 20 } },
    { text: result.unit ?? '', x: columns.unit, look: { width: 54 } },
    { text: result.range, x: columns.range, look: { width: 62 } },
    { text: result.interpretation ?? '', x: columns.interpretation, look: { width: 70 } },
  ]
}

/** Newest first; where all are numbers, a line from the oldest to today's value. */
const drawTrend = (page: Page, { earlier, value }: ReportResult, y: number) => {
  if (earlier.length === 0) return
  const numbers = [...earlier.map((one) => Number(one.value)).reverse(), Number(value)]
  if (numbers.every(Number.isFinite)) {
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
    numbers.forEach((number, index) => {
      const x = right - 18 + (index * 18) / (numbers.length - 1)
      const at = y + 7 - (high === low ? 3 : ((number - low) / (high - low)) * 7)
      if (index === 0) page.moveTo(x, at)
      else page.lineTo(x, at)
    })
    page.lineWidth(0.8).strokeColor('#2c5fa8').stroke()
  }
  put(page, earlier.map((one) => one.value).join(', '), columns.earlier, y, {
    size: 7,
    color: faint,
    width: right - columns.earlier - 20,
  })
}

const drawRest = (page: Page, { pending, lab, results }: ReportContent, top: number, newPage: () => number) => {
  let y = top
  if (y > bottom - 60) y = newPage()
  if (pending.length > 0) {
    const text = `Partial report. Still in work: ${pending.join(', ')}`
    put(page, text, left, y, { bold: true, width: right - left })
    y += heightOf(page, text, { width: right - left }) + 5
  }
  if (results.some(({ flag }) => flag !== '')) {
    put(page, 'H above, L below the normal range; A outside it by interpretation.', left, y, { size: 8, color: faint })
    y += 14
  }
  if (lab.director)
    put(page, `Laboratory director: ${lab.director}${lab.npi ? `   NPI ${lab.npi}` : ''}`, left, y, { size: 8 })
}

const numberPages = (page: Page, content: ReportContent, { versionNo, isDemo }: ReportIssue) => {
  const { start, count } = page.bufferedPageRange()
  for (let index = start; index < start + count; index++) {
    page.switchToPage(index)
    rule(page, 738)
    put(page, `${content.lab.name}   Accession # ${content.requisitionId}   Version ${versionNo}`, left, 744, {
      size: 7,
      color: faint,
    })
    if (isDemo)
      put(page, 'Demonstration data. Not a medical document.', 220, 744, {
        size: 7,
        color: faint,
        width: 200,
        align: 'center',
      })
    put(page, `Page ${index + 1} of ${count}`, right - 100, 744, { size: 7, color: faint, width: 100, align: 'right' })
  }
}
