import type { ReportChart, ReportColumn, ReportRow } from '@lis/contract/reports-pages.ts'
import type { Db } from '../../platform/db/db.ts'
import { daysIn, type ReportCall, type ReportDefinition } from './definition.ts'
import { findRequisitionEstimate } from './queries.ts'

/** All rows of a report, each with its columns and nothing else; numbers are numbers. */
export const runReport = async (db: Db, definition: ReportDefinition, call: ReportCall): Promise<ReportRow[]> => {
  const { rows } = await db.executeQuery<Record<string, unknown>>(definition.query(call).compile(db))
  return rows.map(
    (row) =>
      ({
        rowKind: row.rowKind,
        ...Object.fromEntries(definition.columns.map((column) => [column.name, cellValue(column, row[column.name])])),
      }) as ReportRow,
  )
}

const isNumeric = ({ type }: ReportColumn) => type !== 'text' && type !== 'datetime' && type !== 'date'

/** Exact decimals come as text from the database; a report shows at most a few places of them. */
const cellValue = (column: ReportColumn, value: unknown): string | number | null => {
  if (value === null || value === undefined) return null
  return isNumeric(column) ? Number(value) : String(value)
}

const mostPoints = 20

/** What the chart shows of the rows: not their totals, and only the largest groups where there are many. */
export const chartOf = ({ chart, columns }: ReportDefinition, rows: readonly ReportRow[]): ReportChart => {
  const plain = rows.filter(({ rowKind }) => rowKind === 'row')
  const labelOf = (row: ReportRow) =>
    chart.label
      .map((name) => row[name])
      .filter((part) => part !== null && part !== '')
      .join(' · ')
  if (chart.bars.length === 0) {
    const counts = [...Map.groupBy(plain, labelOf)].map(([label, group]) => ({ label, values: [group.length] }))
    return { series: ['Count'], points: largest(counts), isStacked: false }
  }
  const points = plain.map((row) => ({ label: labelOf(row), values: chart.bars.map((name) => Number(row[name] ?? 0)) }))
  const series = chart.bars.map((name) => columns.find((column) => column.name === name)?.header ?? name)
  return {
    series,
    points: largest(points.filter(({ values }) => values.some((value) => value !== 0))),
    isStacked: chart.isStacked,
  }
}

const largest = (points: ReportChart['points']) => {
  if (points.length <= mostPoints) return points
  const size = ({ values }: ReportChart['points'][number]) => values.reduce((sum, value) => sum + Math.abs(value), 0)
  const kept = new Set([...points].sort((one, other) => size(other) - size(one)).slice(0, mostPoints))
  return points.filter((point) => kept.has(point))
}

/** Requisitions and days beyond which nobody should have to wait: measured, a month of a million requisitions is a second or two. */
const manyRequisitions = 200_000
const manyDays = 100

export const isLong = ({ requisitions, days }: { requisitions: number; days: number }): boolean =>
  requisitions > manyRequisitions && days > manyDays

/** Whether a report runs as a job instead of while the person waits. */
export const isLongReport = async (db: Db, call: Pick<ReportCall, 'from' | 'to'>): Promise<boolean> =>
  isLong({ requisitions: await findRequisitionEstimate(db), days: daysIn(call) })
