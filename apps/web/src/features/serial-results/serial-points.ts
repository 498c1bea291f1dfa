import { parseDecimal } from '@lis/contract/results/decimal.ts'
import type { SerialResult } from '@lis/contract/serial-results.ts'

export interface Point {
  at: number
  value: number
  row: SerialResult
}

/** The results to plot: numbers, and values beyond the reportable limits at the limit. Neither 'N/A' nor other text. */
export const serialPoints = (rows: readonly SerialResult[]): Point[] =>
  rows.flatMap((row) => {
    const number = row.result.replace(/^[<>]/, '')
    return parseDecimal(number) ? [{ at: Date.parse(row.processDate), value: Number(number), row }] : []
  })
