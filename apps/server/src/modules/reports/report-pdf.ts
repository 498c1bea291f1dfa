import { type MeaningCode, signatureMeanings } from '@lis/contract/sign-out.ts'
import { DateTime } from 'luxon'
import { missingCharacter, toPrintable } from '../../platform/pdf/fonts.ts'
import { addSealPlace } from '../../platform/pdf/seal-place.ts'
import { asArtifact, inside, mark, markArtifact } from '../../platform/pdf/structure.ts'
import { performingLabs, type ReportContent, type ReportResult } from './content.ts'
import {
  ageText,
  changeText,
  dateOnly,
  fastingText,
  isWithoutReference,
  labLines,
  limitsText,
  momentText,
  notesOf,
  notReported,
  phoneText,
  sexText,
  specimenText,
} from './content-text.ts'
import {
  barsOf,
  bottom,
  drawBars,
  faint,
  heightOf,
  ink,
  left,
  type Page,
  put,
  renderPdf,
  right,
  rule,
  type TextOptions,
  warning,
} from './pdf-drawing.ts'

export interface PrintedSignature {
  name: string
  qualifications: string
  meaningCode: MeaningCode
  /** ISO. */
  at: string
  zone: string
}

export interface VersionInfo {
  versionNo: number
  /** The date of the report; null on the page that is about to be signed. */
  madeAt: Date | null
  signatures?: readonly PrintedSignature[]
  /** Leaves the place for a seal, with what it says. */
  sealReason?: string
  correction?: PrintedCorrection
  /** A PNG or JPEG of the collaborator. */
  logo?: Buffer
  isDemo?: boolean
}

interface PrintedCorrection {
  /** The latest released version; nobody has seen versions in between. */
  replacesVersionNo: number
  reason: string
  changes: readonly string[]
  /** Codes of the results that differ from the version before; marked in the table. */
  changedCodes?: readonly string[]
}

const columns = {
  name: left,
  value: 168,
  flag: 219,
  unit: 243,
  range: 284,
  borderline: 336,
  interpretation: 386,
  earlier: 450,
}
const trendWidth = 18
/** Beside the bar code. */
const headWidth = right - left - 160
const logo = { width: 96, height: 40 }

/** Letter paper; what is abnormal first, then the other results, with the accession bar code and 'page x of y' on every page. */
export const renderReport = (content: ReportContent, info: VersionInfo, compress = true): Promise<Buffer> =>
  renderPdf(`Laboratory report ${content.requisitionId}`, info.madeAt ?? new Date(), compress, (page) =>
    draw(page, content, info),
  )

export interface Cover {
  requisitionId: number
  patient: string
  info: VersionInfo & { correction: PrintedCorrection }
}

/** The first page of a corrected file made elsewhere: the changes and the reason. */
export const renderCover = ({ requisitionId, patient, info }: Cover): Promise<Buffer> =>
  renderPdf(`Correction of report ${requisitionId}`, info.madeAt ?? new Date(), true, (page) => {
    const head = () => {
      inside(page, 'H1', () =>
        put(page, 'CORRECTED LABORATORY REPORT', left, 48, { size: 15, bold: true, color: warning }),
      )
      const who = toPrintable(`${patient}   Accession # ${requisitionId}   Version ${info.versionNo}`)
      const look = { size: 10, bold: true, width: right - left }
      put(page, who, left, 72, look)
      const end = 77 + heightOf(who, look)
      rule(page, end, ink)
      return end + 12
    }
    drawCorrection(
      page,
      info.correction,
      head(),
      () => {
        page.addPage()
        return asArtifact(page, head)
      },
      patient,
    )
  })

const draw = (page: Page, content: ReportContent, info: VersionInfo) => {
  const bars = barsOf(String(content.requisitionId))
  const start = () => drawHead(page, content, info, bars)
  const newPage = () => {
    page.addPage()
    return asArtifact(page, start)
  }
  if (info.logo) drawLogo(page, info.logo, content.collaborator.name)
  let y = drawPeople(page, content, info, start())
  y = drawWording(page, content.collaborator.wording ?? '', y)
  if (info.correction) y = drawCorrection(page, info.correction, y, newPage)
  const corrected = info.correction?.changedCodes ?? []
  const abnormal = content.results.filter(({ flag }) => flag !== '')
  const rest = content.results.filter(({ flag }) => flag === '')
  if (abnormal.length > 0)
    y = drawResults(page, content, { title: 'Outside the normal range', results: abnormal, corrected }, y, newPage)
  y = drawComments(page, content, y, newPage)
  if (rest.length > 0)
    y = drawResults(
      page,
      content,
      { title: abnormal.length > 0 ? 'Other results' : 'Results', results: rest, corrected },
      y,
      newPage,
    )
  if (content.results.length === 0) {
    put(page, 'No results yet.', left, y, { color: faint })
    y += 22
  }
  drawRest(page, content, info, y, newPage)
  asArtifact(page, () => numberPages(page, content, info))
  if (info.sealReason !== undefined)
    addSealPlace(page, { reason: info.sealReason, name: content.lab.name, at: info.madeAt ?? new Date() })
}

/** Between the laboratory and the bar code, on the first page only. */
const drawLogo = (page: Page, picture: Buffer, name: string) =>
  inside(
    page,
    'Figure',
    () =>
      mark(page, () => {
        const x = left + headWidth - logo.width
        page.image(picture, x, 34, { fit: [logo.width, logo.height], align: 'right' })
      }),
    { alt: `Logo of ${name}` },
  )

const drawWording = (page: Page, wording: string, top: number): number => {
  if (wording === '') return top
  const look = { size: 8, width: right - left }
  put(page, wording, left, top - 4, look)
  return top + heightOf(wording, look) + 4
}

const drawHead = (page: Page, content: ReportContent, info: VersionInfo, bars: readonly number[]): number => {
  const { versionNo } = info
  const width = info.logo ? headWidth - logo.width - 8 : headWidth
  put(page, content.lab.name, left, 36, { size: 15, bold: true, width })
  const small = { size: 7.5, color: faint, width } as const
  let y = 37 + heightOf(content.lab.name, { size: 15, bold: true, width })
  for (const line of labLines(content.lab)) {
    put(page, line, left, y, small)
    y += heightOf(line, small) + 1
  }
  const isCorrected = versionNo > 1
  const isPartial = content.pending.length > 0
  const title = isCorrected
    ? `CORRECTED LABORATORY REPORT${isPartial ? ', PARTIAL' : ''}`
    : isPartial
      ? 'Partial laboratory report'
      : 'Laboratory report'
  inside(page, 'H1', () =>
    put(page, title, left, y + 2, {
      size: 10,
      color: isCorrected ? warning : isPartial ? ink : faint,
      bold: isCorrected || isPartial,
    }),
  )
  drawBars(page, bars, String(content.requisitionId), 38)
  const under = Math.max(82, y + 17)
  rule(page, under, ink)
  const { name, sex, dob } = content.patient
  const age = ageText(dob, content.collectedAt, content.collectedZone)
  const who = `${name}   ${sexText(sex)}   born\xa0${dateOnly(dob)}${age && ` (${age.replace(' ', '\xa0')})`}`
  const look = { size: 10, bold: true, width: headWidth } as const
  put(page, who, left, under + 7, look)
  put(page, `Accession # ${content.requisitionId}   Version ${versionNo}`, right - 150, under + 7, {
    width: 150,
    align: 'right',
  })
  const end = under + 12 + heightOf(who, look)
  rule(page, end)
  return end + 8
}

const drawPeople = (page: Page, content: ReportContent, info: VersionInfo, top: number): number => {
  const { client, physician, lab, collectedZone: zone } = content
  const specimen = specimenText(content)
  const facts: [string, string][][] = [
    [
      ['Client', client.name],
      ['Client ID', client.id],
      ['Address', client.address],
      ['Phone', phoneText(client.phone)],
      ['Physician', `${physician.name}  NPI ${physician.npi}`],
    ],
    [
      ...(specimen === '' ? [] : [['Specimen', specimen] satisfies [string, string]]),
      ['Collected', momentText(content.collectedAt, zone)],
      ['Received', content.receivedAt ? momentText(content.receivedAt, lab.zone) : ''],
      ['Reported', info.madeAt ? momentText(info.madeAt.toISOString(), lab.zone) : 'On signing'],
      ['Fasting', fastingText(content.fasting)],
      ['Order ID', content.extOrderId ?? ''],
    ],
  ]
  const ends = facts.map((column, index) => {
    const x = index === 0 ? left : 336
    const width = index === 0 ? 222 : 172
    let y = top
    for (const [label, text] of column.filter(([, text]) => text !== '')) {
      const at = y
      inside(page, 'P', () => {
        put(page, label, x, at, { color: faint, size: 8 })
        put(page, text, x + 54, at, { width })
      })
      y += heightOf(text, { width }) + 2
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
  let y = top + 17 + heightOf(reason, { width })
  const lines =
    changes.length > 0
      ? changes.map((change) => toPrintable(`• ${changeText(change)}`))
      : ['• No value on this report has changed.']
  if (toPrintable(named + changes.join('')).includes(missingCharacter))
    lines.push(`${missingCharacter} stands for a letter that cannot be printed here.`)
  for (const one of lines) {
    const height = heightOf(one, { width: width - 8 })
    if (y + height > bottom) y = newPage()
    put(page, one, left + 8, y, { width: width - 8 })
    y += height + 2
  }
  rule(page, y + 3)
  return y + 12
}

/** Comments on the order; a few lines of fixed texts. */
const drawComments = (page: Page, { comments = [] }: ReportContent, top: number, newPage: () => number): number => {
  if (comments.length === 0) return top
  const look = { bold: true, width: right - left }
  const text = `Comment: ${comments.join('; ')}`
  const height = heightOf(text, look)
  const y = top + height > bottom ? newPage() : top
  put(page, text, left, y, look)
  return y + height + 8
}

const headings: [keyof typeof columns, string][] = [
  ['name', 'Test'],
  ['value', 'Result'],
  ['flag', 'Flag'],
  ['unit', 'Units'],
  ['range', 'Normal range'],
  ['borderline', 'Borderline'],
  ['interpretation', 'Interpretation'],
  ['earlier', 'Earlier values'],
]

const drawColumns = (page: Page, y: number): number => {
  inside(page, 'TR', () => {
    for (const [column, heading] of headings)
      inside(page, 'TH', () => put(page, heading, columns[column], y, { size: 8, color: faint }))
  })
  rule(page, y + 12, ink)
  return y + 18
}

interface ResultTable {
  title: string
  results: readonly ReportResult[]
  corrected: readonly string[]
}

const titleHeight = 15
const leastTable = titleHeight + 18 + 14

const drawResults = (
  page: Page,
  { lab }: ReportContent,
  { title, results, corrected }: ResultTable,
  start: number,
  newPage: () => number,
): number => {
  const top = start + leastTable > bottom ? newPage() : start
  inside(page, 'H2', () => put(page, title, left, top, { size: 10, bold: true }))
  return inside(page, 'Table', () => {
    let y = drawColumns(page, top + titleHeight)
    for (const result of results) {
      const cells = cellsOf(result, corrected.includes(result.code))
      const height = Math.max(...cells.map(({ text, look }) => heightOf(text, look)))
      const notes = notesOf(result, lab.zone)
      const under = notes.reduce((sum, text) => sum + heightOf(text, commentLook), 0)
      if (y + height + under > bottom) {
        const next = newPage()
        y = asArtifact(page, () => {
          put(page, `${title}, continued`, left, next, { size: 10, bold: true })
          return drawColumns(page, next + titleHeight)
        })
      }
      drawRow(page, result, cells, y)
      drawNotes(page, notes, y + height)
      rule(page, y + height + under + 1, '#e5e9ee')
      y += height + under + 5
    }
    return y + 8
  })
}

const drawRow = (page: Page, result: ReportResult, cells: readonly Cell[], y: number) => {
  inside(page, 'TR', () => {
    for (const { text, x, look, columns } of cells)
      inside(page, 'TD', () => put(page, text, x, y, look), columns ? { columns } : {})
  })
  if (result.value) markArtifact(page, () => drawTrend(page, result, y))
}

const drawNotes = (page: Page, notes: readonly string[], top: number) => {
  let y = top
  for (const text of notes) {
    const at = y
    inside(page, 'TR', () =>
      inside(page, 'TD', () => put(page, text, columns.name + 8, at, commentLook), { columns: headings.length }),
    )
    y += heightOf(text, commentLook)
  }
}

const commentLook: TextOptions = { size: 8, color: faint, width: right - left - 8 }

interface Cell {
  text: string
  x: number
  look: TextOptions
  /** How many columns it takes, if more than one. */
  columns?: number
}

const cellsOf = (result: ReportResult, isCorrected: boolean): Cell[] => {
  const name = {
    text: isCorrected ? `${result.name} (corrected)` : result.name,
    x: columns.name,
    look: { width: columns.value - columns.name - 6, ...(isCorrected && { bold: true, color: warning }) },
  }
  if (!result.value)
    return [
      name,
      {
        text: notReported(result.failReasons ?? ''),
        x: columns.value,
        look: { width: right - columns.value },
        columns: headings.length - 1,
      },
    ]
  const isFlagged = result.flag !== ''
  const tone = isFlagged ? { bold: true, color: warning } : {}
  return [
    name,
    { text: result.value, x: columns.value, look: { ...tone, width: isFlagged ? 52 : 70 } },
    { text: result.flag, x: columns.flag, look: { ...tone, width: 16 } },
    { text: result.unit ?? '', x: columns.unit, look: { width: 39 } },
    {
      text: isWithoutReference(result) ? 'Not established' : limitsText(result.range),
      x: columns.range,
      look: { width: 50 },
    },
    { text: limitsText(result.borderline ?? ''), x: columns.borderline, look: { width: 48 } },
    { text: result.interpretation ?? '', x: columns.interpretation, look: { width: 62 } },
    { text: earlierText(result), x: columns.earlier, look: earlierLook },
  ]
}

const earlierLook: TextOptions = { size: 7, color: faint, width: right - columns.earlier - trendWidth - 4 }

/** Newest first, each with its month. */
const earlierText = ({ earlier = [] }: ReportResult) =>
  earlier
    .map(({ at, zone, value }) => `${value}\xa0(${DateTime.fromISO(at, zone ? { zone } : {}).toFormat('MM/yyyy')})`)
    .join(', ')

/** A line from the oldest to the current value, if all are numbers. */
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

const drawRest = (
  page: Page,
  content: ReportContent,
  { madeAt, signatures = [] }: VersionInfo,
  top: number,
  newPage: () => number,
) => {
  const { pending, lab, results } = content
  const look = { bold: true, width: right - left }
  const text = pending.length > 0 ? `Partial report. Still in work: ${pending.join(', ')}` : ''
  const height = text ? heightOf(text, look) + 5 : 0
  let y = top
  // Keeps the two lines below on the same page.
  if (y + height + 24 > bottom) y = newPage()
  if (text) put(page, text, left, y, look)
  y += height
  if (results.some(({ flag }) => flag !== '')) {
    put(page, 'H above, L below the normal range; A outside it by interpretation.', left, y, { size: 8, color: faint })
    y += 14
  }
  if (lab.director) {
    put(page, `Laboratory director: ${lab.director}`, left, y, { size: 8 })
    y += 14
  }
  const small = { size: 8, width: right - left }
  for (const other of performingLabs(content).slice(1)) {
    const director = other.director && `Laboratory director: ${other.director}`
    const line = `${other.name}: ${[...labLines(other), director].filter(Boolean).join('   ')}`
    const end = heightOf(line, small)
    if (y + end > bottom) y = newPage()
    put(page, line, left, y, small)
    y += end + 4
  }
  const lines = signatures.map(signatureText)
  if (madeAt === null) lines.push('Signature: ____________________   Date and time: ____________________')
  for (const line of lines) {
    const width = right - left
    if (y + heightOf(line, { width }) > bottom) y = newPage()
    put(page, line, left, y + 4, { width })
    y += heightOf(line, { width }) + 6
  }
}

/** Name, date and time with zone, and meaning: 21 CFR 11.50. */
const signatureText = ({ name, qualifications, meaningCode, at, zone }: PrintedSignature) =>
  `Electronically signed by ${name}, ${qualifications}, ${momentText(at, zone, true)}. Meaning: ${signatureMeanings[meaningCode]}.`

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
