import { asArtifact, inside } from '../../../platform/pdf/structure.ts'
import { momentText } from '../../reports/content-text.ts'
import {
  bottom,
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
} from '../../reports/pdf-drawing.ts'
import { chartHeight, drawChart } from './chart.ts'
import type { MonthOfTest, MonthPoint, MonthStatistics, QualityMonth } from './queries.ts'

const top = 40
const width = right - left

/** Quality control of a month: a Levey-Jennings chart for each level, the statistics, the events, and a place for the signature of the director. */
export const renderQualityMonth = (month: QualityMonth, at: Date): Promise<Buffer> =>
  renderPdf(`Quality control ${month.month}`, at, true, (page) => {
    let y = drawTitle(page, month, at)
    for (const test of month.tests) y = drawTest(page, month, test, y + 10)
    y = makeRoom(page, y, 70) + 24
    y = drawLine(page, `Reviewed by ${month.director ?? 'the laboratory director'}`, y, { size: 9 }) + 16
    drawLine(page, 'Signature: ______________________________   Date: ____________________', y, { size: 9 })
    asArtifact(page, () => numberPages(page, month))
  })

const drawTitle = (
  page: Page,
  { month, instrumentName, serialNumber, labName, labZone, tests }: QualityMonth,
  at: Date,
) => {
  const title = { size: 14, bold: true, width }
  const heading = `Quality control, ${month}`
  inside(page, 'H1', () => put(page, heading, left, top, title))
  let y = top + heightOf(heading, title) + 3
  y = drawLine(
    page,
    [instrumentName, serialNumber && `serial number ${serialNumber}`, labName].filter(Boolean).join(', '),
    y,
  )
  const key = 'Circle: in control; triangle: warning; cross: rejected; hollow: not evaluated.'
  y = drawLine(page, `Made ${momentText(at.toISOString(), labZone)}. ${key}`, y, { color: faint })
  return tests.length === 0 ? drawLine(page, 'No control was measured in this month.', y) : y
}

const makeRoom = (page: Page, y: number, height: number): number => {
  if (y + height <= bottom) return y
  page.addPage()
  return top
}

/** Gives the place below it. */
const drawLine = (page: Page, text: string, y: number, look: TextOptions = {}): number => {
  const options = { size: 8, width, ...look }
  const height = heightOf(text, options) + 3
  const start = makeRoom(page, y, height)
  put(page, text, left, start, options)
  return start + height
}

const drawTest = (page: Page, month: QualityMonth, test: MonthOfTest, start: number): number => {
  const named = test.unit ? `${test.testCode} (${test.unit})` : test.testCode
  const heading = (at: number, text: string) => {
    put(page, text, left, at, { size: 11, bold: true })
    rule(page, at + 15, ink)
    return at + 21
  }
  const begin = makeRoom(page, start, 21 + chartHeight + 30)
  let y = begin
  inside(page, 'H2', () => {
    y = heading(begin, named)
  })
  /** The name of the test stands on each of its pages. */
  const room = (height: number) => {
    if (y + height <= bottom) return
    page.addPage()
    y = asArtifact(page, () => heading(top, `${named}, continued`))
  }
  for (const { level, points } of test.levels) {
    room(chartHeight + 30)
    put(page, `Level ${level}`, left, y, { size: 8, bold: true })
    inside(page, 'Figure', () => drawChart(page, { points, actions: test.actions, days: month.days }, y + 11), {
      alt: chartText(level, points),
    })
    y += chartHeight + 28
  }
  room((test.statistics.length + 1) * rowHeight)
  y = drawStatistics(page, test.statistics, y)
  for (const text of eventsOf(test, month.labZone)) {
    room(heightOf(text, { size: 8, width }) + 3)
    y = drawLine(page, text, y)
  }
  return y
}

const chartText = (level: number, points: readonly MonthPoint[]) => {
  const count = (state: MonthPoint['state']) => points.filter((point) => point.state === state).length
  return `Level ${level}: ${points.length} values, ${count('WARNING')} with a warning, ${count('REJECTED')} rejected`
}

const rowHeight = 13
const columns: readonly { heading: string; x: number; width: number; text: (row: MonthStatistics) => string }[] = [
  { heading: 'Level', x: left, width: 30, text: ({ level }) => String(level) },
  { heading: 'Lot', x: left + 34, width: 92, text: ({ lotNumber }) => lotNumber },
  { heading: 'Target', x: left + 130, width: 100, text: ({ target }) => target ?? 'None' },
  { heading: 'n', x: left + 234, width: 24, text: ({ n }) => String(n) },
  { heading: 'Mean', x: left + 262, width: 56, text: ({ mean }) => mean },
  { heading: 'SD', x: left + 322, width: 50, text: ({ sd }) => sd ?? '' },
  { heading: 'CV %', x: left + 376, width: 38, text: ({ cv }) => cv ?? '' },
  { heading: 'Bias %', x: left + 418, width: 42, text: ({ biasPct }) => biasPct ?? '' },
  { heading: 'Rejected', x: left + 464, width: 52, text: ({ rejected }) => String(rejected) },
]

const drawStatistics = (page: Page, rows: readonly MonthStatistics[], start: number): number =>
  inside(page, 'Table', () => {
    inside(page, 'TR', () => {
      for (const { heading, x } of columns)
        inside(page, 'TH', () => put(page, heading, x, start, { size: 7, color: faint }))
    })
    rule(page, start + 10)
    let y = start + rowHeight
    for (const row of rows) {
      const at = y
      const cells = columns.map(({ text, ...column }) => ({ ...column, text: text(row) }))
      inside(page, 'TR', () => {
        for (const { text, x, width: of } of cells)
          inside(page, 'TD', () => put(page, text, x, at, { size: 8, width: of }))
      })
      y += Math.max(rowHeight, ...cells.map(({ text, width: of }) => heightOf(text, { size: 8, width: of }) + 3))
    }
    return y + 3
  })

const eventsOf = ({ rejected, actions, voided }: MonthOfTest, zone: string): string[] => [
  ...rejected.map(({ at, rules }) => `Rejected ${momentText(at, zone)}: ${rules}`),
  ...actions.map(
    ({ at, cause, action, by }, index) => `Action ${index + 1}, ${momentText(at, zone)}: ${cause}. ${action}. ${by}`,
  ),
  ...voided.map(({ at, reason }) => `Voided ${momentText(at, zone)}: ${reason}`),
]

/** Every page says whose quality control it is: pages get separated. */
const numberPages = (page: Page, { labName, instrumentName, month }: QualityMonth) => {
  const { start, count } = page.bufferedPageRange()
  for (let index = start; index < start + count; index++) {
    page.switchToPage(index)
    rule(page, 738)
    put(page, `${labName}   ${instrumentName}   Quality control, ${month}`, left, 744, { size: 7, color: faint })
    put(page, `Page ${index + 1} of ${count}`, right - 100, 744, { size: 7, color: faint, width: 100, align: 'right' })
  }
}
