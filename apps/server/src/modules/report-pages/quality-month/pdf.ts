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
  warning,
} from '../../reports/pdf-drawing.ts'
import type { MonthOfTest, MonthPoint, MonthStatistics, QualityMonth } from './queries.ts'

const chartHeight = 84
const chartLeft = left + 26
const chartWidth = right - chartLeft
/** The range of z; values beyond it are drawn at the edge. */
const mostZ = 4

/** Quality control of a month: a Levey-Jennings chart for each level, the events, and a place for the signature of the director. */
export const renderQualityMonth = (month: QualityMonth, at: Date): Promise<Buffer> =>
  renderPdf(`Quality control ${month.month}`, at, true, (page) => {
    let y = 40
    const room = (height: number) => {
      if (y + height <= bottom) return
      page.addPage()
      y = 40
    }
    const line = (text: string, look: TextOptions = {}) => {
      const options = { size: 8, width: right - left, ...look }
      const height = heightOf(text, options) + 3
      room(height)
      put(page, text, left, y, options)
      y += height
    }
    const { instrumentName, serialNumber, labName, labZone, director } = month
    line(`Quality control, ${month.month}`, { size: 14, bold: true })
    line([instrumentName, serialNumber && `serial number ${serialNumber}`, labName].filter(Boolean).join(', '))
    line(`Made ${momentText(at.toISOString(), labZone)}. Circle: in control; triangle: warning; cross: rejected.`, {
      color: faint,
    })
    if (month.tests.length === 0) line('No control was measured in this month.')
    for (const test of month.tests) {
      y += 8
      room(chartHeight + 40)
      line(test.unit ? `${test.testCode} (${test.unit})` : test.testCode, { size: 11, bold: true })
      rule(page, y, ink)
      y += 6
      for (const { level, points } of test.levels) {
        room(chartHeight + 16)
        put(page, `Level ${level}`, left, y, { size: 8, bold: true })
        drawChart(page, points, test.actions, y + 11)
        y += chartHeight + 20
      }
      for (const one of test.statistics) line(statisticsText(one))
      for (const text of eventsOf(test, labZone)) line(text)
    }
    room(70)
    y += 24
    line(`Reviewed by ${director ?? 'the laboratory director'}`, { size: 9 })
    y += 16
    line('Signature: ______________________________   Date: ____________________', { size: 9 })
  })

const statisticsText = ({ level, lotNumber, n, mean, sd, cv, biasPct, rejected }: MonthStatistics): string =>
  [
    `Level ${level}, lot ${lotNumber}: n ${n}`,
    `mean ${mean}`,
    sd !== null && `SD ${sd}`,
    cv !== null && `CV ${cv} %`,
    biasPct !== null && `bias ${biasPct} %`,
    `${rejected} rejected`,
  ]
    .filter(Boolean)
    .join(', ')

const eventsOf = ({ rejected, actions, voided }: MonthOfTest, zone: string): string[] => [
  ...rejected.map(({ at, rules }) => `Rejected ${momentText(at, zone)}: ${rules}`),
  ...actions.map(
    ({ at, cause, action, by }, index) => `Action ${index + 1}, ${momentText(at, zone)}: ${cause}. ${action}. ${by}`,
  ),
  ...voided.map(({ at, reason }) => `Voided ${momentText(at, zone)}: ${reason}`),
]

const drawChart = (page: Page, points: readonly MonthPoint[], actions: MonthOfTest['actions'], top: number) => {
  const yOf = (z: number) => top + ((mostZ - Math.max(-mostZ, Math.min(mostZ, z))) / (2 * mostZ)) * chartHeight
  const xOf = (place: number) => chartLeft + place * chartWidth
  for (const z of [-3, -2, -1, 0, 1, 2, 3]) {
    const color = z === 0 ? ink : Math.abs(z) === 3 ? warning : '#c9d1db'
    page
      .moveTo(chartLeft, yOf(z))
      .lineTo(right, yOf(z))
      .lineWidth(z === 0 ? 0.8 : 0.4)
      .strokeColor(color)
      .stroke()
    put(page, z === 0 ? 'mean' : `${z > 0 ? '+' : ''}${z} SD`, left, yOf(z) - 4, { size: 6.5, color: faint })
  }
  const upright = (place: number, label: string) => {
    page
      .moveTo(xOf(place), top)
      .lineTo(xOf(place), top + chartHeight)
      .lineWidth(0.4)
      .dash(2, { space: 2 })
      .strokeColor(faint)
    page.stroke().undash()
    put(page, label, xOf(place) + 2, top, { size: 6.5, color: faint })
  }
  points.forEach(({ place, lotNumber }, index) => {
    if (index > 0 && points[index - 1]?.lotNumber !== lotNumber) upright(place, `Lot ${lotNumber}`)
  })
  actions.forEach(({ place }, index) => {
    upright(place, `Action ${index + 1}`)
  })
  const drawn = points.filter(({ z }) => z !== null)
  drawn.forEach(({ place, z }, index) => {
    if (index === 0) page.moveTo(xOf(place), yOf(z as number))
    else page.lineTo(xOf(place), yOf(z as number))
  })
  if (drawn.length > 1) page.lineWidth(0.4).strokeColor('#8a97a6').stroke()
  for (const { place, z, state } of drawn) drawMark(page, xOf(place), yOf(z as number), state)
}

const drawMark = (page: Page, x: number, y: number, state: MonthPoint['state']) => {
  if (state === 'REJECTED')
    page
      .moveTo(x - 3, y - 3)
      .lineTo(x + 3, y + 3)
      .moveTo(x - 3, y + 3)
      .lineTo(x + 3, y - 3)
      .lineWidth(1.2)
      .strokeColor(warning)
      .stroke()
  else if (state === 'WARNING') page.polygon([x, y - 3], [x + 3, y + 2.5], [x - 3, y + 2.5]).fill('#9a6700')
  else page.circle(x, y, 1.8).fill('#2c5fa8')
}
