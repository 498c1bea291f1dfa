import { asArtifact, mark } from '../../../platform/pdf/structure.ts'
import { faint, ink, left, type Page, put, right, warning } from '../../reports/pdf-drawing.ts'
import type { MonthOfTest, MonthPoint } from './queries.ts'

export const chartHeight = 84
const chartLeft = left + 26
const chartWidth = right - chartLeft
/** The range of z; values beyond it are drawn at the edge. */
const mostZ = 4
const usual = '#2c5fa8'
const amber = '#9a6700'

interface Chart {
  points: readonly MonthPoint[]
  actions: MonthOfTest['actions']
  /** In the month. */
  days: number
}

/** A Levey-Jennings chart of one level over the days of a month. */
export const drawChart = (page: Page, chart: Chart, top: number) => {
  mark(page, () => drawLines(page, chart, top))
  asArtifact(page, () => drawTexts(page, chart, top))
}

const xOf = (place: number) => chartLeft + place * chartWidth
const yOf = (z: number, top: number) =>
  top + ((mostZ - Math.max(-mostZ, Math.min(mostZ, z))) / (2 * mostZ)) * chartHeight

const axis = [-3, -2, -1, 0, 1, 2, 3]

const drawLines = (page: Page, chart: Chart, top: number) => {
  for (const z of axis) {
    const color = z === 0 ? ink : Math.abs(z) === 3 ? warning : '#c9d1db'
    page
      .moveTo(chartLeft, yOf(z, top))
      .lineTo(right, yOf(z, top))
      .lineWidth(z === 0 ? 0.8 : 0.4)
      .strokeColor(color)
      .stroke()
  }
  for (const { place } of uprightsOf(chart)) {
    page
      .moveTo(xOf(place), top)
      .lineTo(xOf(place), top + chartHeight)
      .lineWidth(0.4)
      .dash(2, { space: 2 })
      .strokeColor(faint)
    page.stroke().undash()
  }
  const drawn = chart.points.filter(({ z }) => z !== null)
  drawn.forEach(({ place, z }, index) => {
    if (index === 0) page.moveTo(xOf(place), yOf(z as number, top))
    else page.lineTo(xOf(place), yOf(z as number, top))
  })
  if (drawn.length > 1) page.lineWidth(0.4).strokeColor('#8a97a6').stroke()
  for (const { place, z, state } of chart.points) drawMark(page, xOf(place), yOf(z ?? 0, top), state)
}

const drawTexts = (page: Page, chart: Chart, top: number) => {
  const look = { size: 6.5, color: faint }
  for (const z of axis)
    put(page, z === 0 ? 'mean' : `${z > 0 ? '+' : '−'}${Math.abs(z)} SD`, left, yOf(z, top) - 2.5, look)
  for (let day = 1; day <= chart.days; day += 7)
    put(page, String(day), xOf((day - 1) / chart.days), top + chartHeight + 2, look)
  for (const { place, label } of uprightsOf(chart)) put(page, label, xOf(place) + 2, top, look)
}

/** Where another lot begins, and where something was done. */
const uprightsOf = ({ points, actions }: Chart) => [
  ...points.flatMap(({ place, lotNumber }, index) =>
    index > 0 && points[index - 1]?.lotNumber !== lotNumber ? [{ place, label: `Lot ${lotNumber}` }] : [],
  ),
  ...actions.map(({ place }, index) => ({ place, label: `Action ${index + 1}` })),
]

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
  else if (state === 'WARNING') page.polygon([x, y - 3], [x + 3, y + 2.5], [x - 3, y + 2.5]).fill(amber)
  else if (state === 'NOT_EVALUATED') page.circle(x, y, 1.8).lineWidth(0.6).strokeColor(usual).stroke()
  else page.circle(x, y, 1.8).fill(usual)
}
