import { stringify } from 'csv-stringify/sync'

export type Row = Record<string, unknown>

/** Rows as CSV, with a column for each name in any of them; without rows it says so. Formulas are escaped. */
export const csvOf = (rows: readonly Row[]): Buffer => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const head = columns.length > 0 ? columns : ['None in this period']
  const lines = rows.map((row) => columns.map((name) => cellOf(row[name])))
  return Buffer.from(stringify([head, ...lines], { escape_formulas: true, bom: true }))
}

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
