import type { ReportChart, ReportColumn, ReportRow } from '@lis/contract/reports-pages.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Services } from '../../platform/services.ts'
import { isoTimeInZone } from '../../platform/zones.ts'
import type { ReportCall, ReportDefinition } from './definition.ts'
import { findRequisitionEstimate } from './queries.ts'

/** All rows of a report with the defined columns only, numbers as numbers. */
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

/** The same, from the replica where there is one. */
export const readReport = (
  { largeReads }: Services,
  definition: ReportDefinition,
  call: ReportCall,
): Promise<ReportRow[]> => largeReads.run(call.actor.scope, (db) => runReport(db, definition, call))

const isNumeric = ({ type }: ReportColumn) => type !== 'text' && type !== 'datetime' && type !== 'date'

/** Exact decimals come as text from the database; a report shows at most a few places of them. Moments come from `localTime`. */
const cellValue = (column: ReportColumn, value: unknown): string | number | null => {
  if (value === null || value === undefined) return null
  if (isNumeric(column)) return Number(value)
  const text = String(value)
  if (column.type !== 'datetime') return text
  const [instant = '', zone = ''] = text.split(' ')
  return isoTimeInZone(instant, zone)
}

const mostPoints = 20

/** Of a report that is not read. */
export const noChart: ReportChart = { series: [], points: [], isStacked: false, unit: '' }

/** The chart of the rows without totals: rows with the same label are summed, and only the largest bars are shown. */
export const chartOf = ({ chart, columns }: ReportDefinition, rows: readonly ReportRow[]): ReportChart => {
  const { label, bars, isStacked, unit, isShown = () => true } = chart
  const plain = rows.filter((row) => row.rowKind === 'row' && isShown(row))
  const labelOf = (row: ReportRow) =>
    label
      .map((name) => row[name])
      .filter((part) => part !== null && part !== '')
      .join(' · ')
  const valuesOf = (row: ReportRow) => (bars.length === 0 ? [1] : bars.map((name) => Number(row[name] ?? 0)))
  const points = [...Map.groupBy(plain, labelOf)].map(([name, group]) => ({
    label: name,
    values: addUp(group.map(valuesOf)),
  }))
  const headerOf = (name: string) => columns.find((column) => column.name === name)?.header ?? name
  return {
    series: bars.length === 0 ? ['Count'] : bars.map(headerOf),
    points: largest(points.filter(({ values }) => values.some((value) => value !== 0))),
    isStacked,
    unit,
  }
}

const addUp = (lists: readonly (readonly number[])[]): number[] =>
  (lists[0] ?? []).map((_, index) => lists.reduce((sum, list) => sum + (list[index] ?? 0), 0))

const largest = (points: ReportChart['points']) => {
  if (points.length <= mostPoints) return points
  const size = ({ values }: ReportChart['points'][number]) =>
    Math.round(values.reduce((sum, value) => sum + Math.abs(value), 0))
  const kept = new Set([...points].sort((one, other) => size(other) - size(one)).slice(0, mostPoints))
  return points.filter((point) => kept.has(point))
}

/** With more requisitions a report runs in the background: over 50,000 it takes 1 to 5 seconds. */
const manyRequisitions = 100_000

export const isLongPeriod = (requisitions: number): boolean => requisitions > manyRequisitions

/** Whether a report runs as a job instead of while the person waits. */
export const isLongReport = async (db: Db, call: Pick<ReportCall, 'from' | 'to'>): Promise<boolean> =>
  isLongPeriod(await findRequisitionEstimate(db, call))
