import PDFDocument from 'pdfkit'

/** The content of a one-page result report. */
export interface ReportContent {
  title: string
  labName: string
  zone: string
  requisitionId: number
  patient: string
  dob: string
  sex: string
  client: string
  physician: string
  collectedAt: number
  collectedZone: string
  receivedAt: number
  reportedAt: number
  results: readonly { name: string; value: string; unit: string; interpretation: string }[]
}

const left = 50
const columns = { value: 270, unit: 370, interpretation: 440 }

export const renderReport = (content: ReportContent): Promise<Buffer> =>
  makePdf(content.reportedAt, `Report ${content.requisitionId}`, (page) => {
    const shown = (instant: number, zone = content.zone) => clockOf(zone).format(instant)
    page.fontSize(15).text(content.labName, left, 50).fontSize(11).text(content.title, left, 70)
    const facts = [
      ['Requisition', `#${content.requisitionId}`],
      ['Patient', `${content.patient}   ${content.sex === 'MALE' ? 'M' : 'F'}   born ${content.dob}`],
      ['Client', content.client],
      ['Ordering physician', content.physician],
      ['Collected', shown(content.collectedAt, content.collectedZone)],
      ['Received', shown(content.receivedAt)],
      ['Reported', shown(content.reportedAt)],
    ] as const
    page.fontSize(9)
    facts.forEach(([label, text], index) => {
      const y = 96 + index * 13
      page.text(label, left, y, { lineBreak: false }).text(text, 160, y, { lineBreak: false })
    })
    addResults(page, content.results, 204)
    page.fontSize(7).text('Demonstration data. Not a medical document; every person in it is invented.', left, 740)
  })

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Creating a format takes a hundred times as long as using it. */
const clockOf = (timeZone: string): Intl.DateTimeFormat => {
  let clock = clocks.get(timeZone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    })
    clocks.set(timeZone, clock)
  }
  return clock
}

const addResults = (page: PDFKit.PDFDocument, results: ReportContent['results'], top: number) => {
  const line = (y: number, cells: readonly string[]) => {
    const places = [left, columns.value, columns.unit, columns.interpretation]
    cells.forEach((cell, index) => {
      page.text(cell, places[index], y, { lineBreak: false })
    })
  }
  line(top, ['Test', 'Result', 'Units', 'Interpretation'])
  page
    .moveTo(left, top + 12)
    .lineTo(560, top + 12)
    .stroke()
  results.forEach(({ name, value, unit, interpretation }, index) => {
    line(top + 18 + index * 14, [name, value, unit, interpretation])
  })
}

/** A page in place of a scan. */
export const renderScan = (title: string, lines: readonly string[], createdAt: number): Promise<Buffer> =>
  makePdf(createdAt, title, (page) => {
    page.fontSize(15).text(title, left, 60).fontSize(10)
    lines.forEach((text, index) => {
      page.text(text, left, 100 + index * 18, { lineBreak: false })
    })
    page.rect(40, 45, 520, 90 + lines.length * 18).stroke()
  })

/** Not compressed: a page of text is small, and the same content then gives the same bytes everywhere. */
const makePdf = (createdAt: number, title: string, draw: (page: PDFKit.PDFDocument) => void): Promise<Buffer> =>
  new Promise((done, fail) => {
    const date = new Date(createdAt)
    const page = new PDFDocument({
      size: 'LETTER',
      margin: 40,
      compress: false,
      info: { Title: title, CreationDate: date, ModDate: date },
    })
    const chunks: Buffer[] = []
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.once('end', () => done(Buffer.concat(chunks)))
    page.once('error', fail)
    draw(page)
    page.end()
  })
