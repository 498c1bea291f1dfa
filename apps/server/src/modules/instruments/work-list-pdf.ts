import type { WorkListRow } from '@lis/contract/instrument-work.ts'
import { dateOnly, momentText, sexText } from '../reports/content-text.ts'
import {
  bottom,
  faint,
  heightOf,
  ink,
  left,
  put,
  renderPdf,
  right,
  rule,
  type TextOptions,
} from '../reports/pdf-drawing.ts'

interface WorkList {
  instrumentName: string
  labName: string
  labZone: string
  at: Date
  rows: readonly WorkListRow[]
}

const columns = [
  ['Place', 34],
  ['Specimen', 84],
  ['Patient', 130],
  ['Born', 62],
  ['Sex', 44],
  ['Collected', 90],
  ['Tests', 72],
] as const

const cellsOf = (row: WorkListRow, zone: string): string[] => [
  String(row.position),
  row.specimenId,
  row.patientName ?? '',
  row.patientDob ? dateOnly(row.patientDob) : '',
  row.patientSexCode ? sexText(row.patientSexCode) : '',
  row.collectedAt ? momentText(row.collectedAt, zone) : '',
  row.instrumentCodes.join(', ') || 'Nothing open',
]

/** One line for each position of the rack, with the tests in the codes of the instrument. */
export const renderWorkList = ({ instrumentName, labName, labZone, at, rows }: WorkList): Promise<Buffer> =>
  renderPdf(`Work list of ${instrumentName}`, at, true, (page) => {
    const starts = columns.map((_, index) => columns.slice(0, index).reduce((sum, [, width]) => sum + width, left))
    const look = (index: number): TextOptions => ({ size: 8, width: (columns[index]?.[1] ?? 0) - 6 })
    const head = (): number => {
      put(page, `Work list of ${instrumentName}`, left, 40, { size: 14, bold: true })
      const made = `${labName}, ${momentText(at.toISOString(), labZone)}`
      put(page, made, left, 60, { size: 8, color: faint, width: right - left })
      columns.forEach(([name], index) => {
        put(page, name, starts[index] ?? left, 80, { size: 8, bold: true })
      })
      rule(page, 92, ink)
      return 98
    }
    let y = head()
    for (const row of rows) {
      const cells = cellsOf(row, labZone)
      const height = Math.max(...cells.map((text, index) => heightOf(text, look(index))))
      if (y + height > bottom) {
        page.addPage()
        y = head()
      }
      cells.forEach((text, index) => {
        put(page, text, starts[index] ?? left, y, look(index))
      })
      rule(page, y + height + 2)
      y += height + 6
    }
  })
