import bwip from 'bwip-js/node'
import { DateTime } from 'luxon'
import PDFDocument from 'pdfkit'
import { chooseFont, isWestern, missingLetter, onLine, printed } from '../../platform/pdf/letters.ts'
import {
  dateOnly,
  fastingText,
  momentText,
  notReported,
  type ReportContent,
  type ReportResult,
  sexText,
} from './content.ts'

export interface VersionInfo {
  versionNo: number
  madeAt: Date
  correction?: PrintedCorrection
  isDemo?: boolean
}

export interface PrintedCorrection {
  /** The latest version that was out: what lies between has reached nobody. */
  replacesVersionNo: number
  reason: string
  changes: readonly string[]
  /** Codes of the results that the version before did not say so: marked in the table. */
  changedCodes?: readonly string[]
}

type Page = PDFKit.PDFDocument

const left = 48
const right = 564
const bottom = 700
const ink = '#17212f'
const faint = '#5b6675'
const line = '#c9d1db'
const warning = '#a3271b'
const columns = { name: left, value: 196, flag: 256, unit: 278, range: 326, interpretation: 384, earlier: 450 }
const trendWidth = 18

/** Letter paper, one column of results, the accession bar code on every page, 'page x of y' at the end of each. */
export const renderReport = (content: ReportContent, issue: VersionInfo, compress = true): Promise<Buffer> =>
  written(`Laboratory report ${content.requisitionId}`, issue.madeAt, compress, (page) => draw(page, content, issue))

const written = (title: string, at: Date, compress: boolean, drawOn: (page: Page) => void): Promise<Buffer> =>
  new Promise((done, fail) => {
    const page = new PDFDocument({
      size: 'LETTER',
      margin: 0,
      compress,
      bufferPages: true,
      info: { Title: title, CreationDate: at, ModDate: at },
    })
    const chunks: Buffer[] = []
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.once('end', () => done(Buffer.concat(chunks)))
    page.once('error', fail)
    drawOn(page)
    page.end()
  })

export interface Cover {
  requisitionId: number
  patient: string
  issue: VersionInfo & { correction: PrintedCorrection }
}

/** The page before a corrected file that was made elsewhere: what is different, and why. */
export const renderCover = ({ requisitionId, patient, issue }: Cover): Promise<Buffer> =>
  written(`Correction of report ${requisitionId}`, issue.madeAt, true, (page) => {
    const head = () => {
      put(page, 'CORRECTED LABORATORY REPORT', left, 48, { size: 15, bold: true, color: warning })
      const who = `${patient}   Accession # ${requisitionId}   Version ${issue.versionNo}`
      const look = { size: 10, bold: true, width: right - left }
      put(page, who, left, 72, look)
      const end = 77 + heightOf(page, who, look)
      rule(page, end, ink)
      return end + 12
    }
    drawCorrection(
      page,
      issue.correction,
      head(),
      () => {
        page.addPage()
        return head()
      },
      patient,
    )
  })

const draw = (page: Page, content: ReportContent, issue: VersionInfo) => {
  const bars = barsOf(String(content.requisitionId))
  const start = () => drawHead(page, content, issue, bars)
  const newPage = () => {
    page.addPage()
    return start()
  }
  let y = drawPeople(page, content, issue, start())
  if (issue.correction) y = drawCorrection(page, issue.correction, y, newPage)
  y = drawComments(page, content, y)
  y = drawResults(page, content, issue.correction?.changedCodes ?? [], y, newPage)
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
  const shown = printed(text)
  chooseFont(page, shown, bold).fontSize(size).fillColor(color)
  page.text(shown, x, y, {
    ...onLine(size),
    lineBreak: width !== undefined,
    ...(width && { width }),
    ...(align && { align }),
  })
}

/** How many points a text takes in its column; nothing on a report is ever cut off. */
const heightOf = (page: Page, text: string, { size = 9, bold, width = 0 }: Put) => {
  const shown = printed(text)
  if (atMost(shown) * size < width && isWestern(shown)) return size + 2
  return chooseFont(page, shown, bold).fontSize(size).heightOfString(shown, { width })
}

/** More than the text can take in bold, in sizes of its letters: measuring costs more than writing, and most texts are short. */
const atMost = (text: string) => {
  const narrow = text.match(/[a-ln-vx-z0-9 .,:;()/'-]/g)?.length ?? 0
  return narrow * 0.62 + (text.length - narrow)
}

const rule = (page: Page, y: number, color = line) =>
  page.moveTo(left, y).lineTo(right, y).lineWidth(0.5).strokeColor(color).stroke()

const drawHead = (page: Page, content: ReportContent, { versionNo }: VersionInfo, bars: readonly number[]): number => {
  put(page, content.lab.name, left, 40, { size: 15, bold: true })
  put(page, versionNo > 1 ? 'CORRECTED LABORATORY REPORT' : 'Laboratory report', left, 60, {
    size: 10,
    color: versionNo > 1 ? warning : faint,
    bold: versionNo > 1,
  })
  drawBars(page, bars, String(content.requisitionId), 38)
  rule(page, 82, ink)
  const who = `${content.patient.name}   ${sexText(content.patient.sex)}   born\xa0${dateOnly(content.patient.dob)}`
  const look = { size: 10, bold: true, width: right - left - 160 } as const
  put(page, who, left, 89, look)
  put(page, `Accession # ${content.requisitionId}   Version ${versionNo}`, right - 150, 89, {
    width: 150,
    align: 'right',
  })
  const end = 94 + heightOf(page, who, look)
  rule(page, end)
  return end + 8
}

const drawPeople = (page: Page, content: ReportContent, issue: VersionInfo, top: number): number => {
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
      ['Collected', momentText(content.collectedAt, zone)],
      ['Received', content.receivedAt ? momentText(content.receivedAt, lab.zone) : ''],
      ['Reported', momentText(issue.madeAt.toISOString(), lab.zone)],
      ['Fasting', fastingText(content.fasting)],
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

const drawCorrection = (
  page: Page,
  { replacesVersionNo, reason: why, changes }: PrintedCorrection,
  top: number,
  newPage: () => number,
  named = '',
): number => {
  put(page, `This report replaces version ${replacesVersionNo}. Please discard it.`, left, top, {
    bold: true,
    color: warning,
  })
  const width = right - left
  const reason = `Reason: ${why}`
  put(page, reason, left, top + 13, { width })
  let y = top + 17 + heightOf(page, reason, { width })
  const lines = changes.length > 0 ? changes.map((change) => `• ${change}`) : ['• No value on this report has changed.']
  if (printed(named + changes.join('')).includes(missingLetter))
    lines.push(`${missingLetter} stands for a letter that cannot be printed here.`)
  for (const one of lines) {
    const height = heightOf(page, one, { width: width - 8 })
    if (y + height > bottom) y = newPage()
    put(page, one, left + 8, y, { width: width - 8 })
    y += height + 2
  }
  rule(page, y + 3)
  return y + 12
}

/** What was remarked of the whole order; a few lines of fixed texts. */
const drawComments = (page: Page, { comments = [] }: ReportContent, top: number): number => {
  if (comments.length === 0) return top
  const look = { bold: true, width: right - left }
  const text = `Comment: ${comments.join('; ')}`
  put(page, text, left, top, look)
  return top + heightOf(page, text, look) + 8
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

const drawResults = (
  page: Page,
  { results }: ReportContent,
  corrected: readonly string[],
  top: number,
  newPage: () => number,
): number => {
  let y = drawColumns(page, top)
  for (const result of results) {
    const cells = cellsOf(result, corrected.includes(result.code))
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

const cellsOf = (result: ReportResult, isCorrected: boolean): { text: string; x: number; look: Put }[] => {
  const name = {
    text: isCorrected ? `${result.name} (corrected)` : result.name,
    x: columns.name,
    look: { width: columns.value - columns.name - 6, ...(isCorrected && { bold: true, color: warning }) },
  }
  if (!result.value)
    return [
      name,
      { text: notReported(result.failReasons ?? ''), x: columns.value, look: { width: right - columns.value } },
    ]
  const tone = result.flag === '' ? {} : { bold: true, color: warning }
  return [
    name,
    { text: result.value, x: columns.value, look: { ...tone, width: 58 } },
    { text: result.flag, x: columns.flag, look: { ...tone, width: 20 } },
    { text: result.unit ?? '', x: columns.unit, look: { width: 46 } },
    { text: result.range, x: columns.range, look: { width: 56 } },
    { text: result.interpretation ?? '', x: columns.interpretation, look: { width: 64 } },
    { text: earlierText(result), x: columns.earlier, look: earlierLook },
  ]
}

const earlierLook: Put = { size: 7, color: faint, width: right - columns.earlier - trendWidth - 4 }

/** The newest first, each with its month. */
const earlierText = ({ earlier = [] }: ReportResult) =>
  earlier
    .map(({ at, zone, value }) => `${value}\xa0(${DateTime.fromISO(at, zone ? { zone } : {}).toFormat('MM/yyyy')})`)
    .join(', ')

/** Where all are numbers, a line from the oldest to today's value. */
const drawTrend = (page: Page, { earlier = [], value }: ReportResult, y: number) => {
  const numbers = [...earlier.map((one) => Number(one.value)).reverse(), Number(value)]
  if (earlier.length === 0 || !numbers.every(Number.isFinite)) return
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  numbers.forEach((number, index) => {
    const x = right - trendWidth + (index * trendWidth) / (numbers.length - 1)
    const at = y + 7 - (high === low ? 3 : ((number - low) / (high - low)) * 7)
    if (index === 0) page.moveTo(x, at)
    else page.lineTo(x, at)
  })
  page.lineWidth(0.8).strokeColor('#2c5fa8').stroke()
}

const drawRest = (page: Page, { pending, lab, results }: ReportContent, top: number, newPage: () => number) => {
  const look = { bold: true, width: right - left }
  const text = pending.length > 0 ? `Partial report. Still in work: ${pending.join(', ')}` : ''
  const height = text ? heightOf(page, text, look) + 5 : 0
  let y = top
  // The two lines below it stay with it.
  if (y + height + 24 > bottom) y = newPage()
  if (text) put(page, text, left, y, look)
  y += height
  if (results.some(({ flag }) => flag !== '')) {
    put(page, 'H above, L below the normal range; A outside it by interpretation.', left, y, { size: 8, color: faint })
    y += 14
  }
  if (lab.director)
    put(page, `Laboratory director: ${lab.director}${lab.npi ? `   NPI ${lab.npi}` : ''}`, left, y, { size: 8 })
}

const numberPages = (page: Page, content: ReportContent, { versionNo, isDemo }: VersionInfo) => {
  const { start, count } = page.bufferedPageRange()
  for (let index = start; index < start + count; index++) {
    page.switchToPage(index)
    rule(page, 738)
    put(page, `${content.lab.name}   Accession # ${content.requisitionId}   Version ${versionNo}`, left, 744, {
      size: 7,
      color: faint,
    })
    if (isDemo) put(page, 'Demonstration data. Not a medical document.', left, 754, { size: 7, color: faint })
    put(page, `Page ${index + 1} of ${count}`, right - 100, 744, { size: 7, color: faint, width: 100, align: 'right' })
  }
}
