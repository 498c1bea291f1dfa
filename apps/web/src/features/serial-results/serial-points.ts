import { parseDecimal } from '@lis/contract/results/decimal.ts'
import type { SerialResult } from '@lis/contract/serial-results.ts'

export interface Point {
  at: number
  value: number
  row: SerialResult
}

/** What has a place on the scale: numbers, and at its limit what is reported as beyond it. Neither 'N/A' nor another text. */
export const serialPoints = (rows: readonly SerialResult[]): Point[] =>
  rows.flatMap((row) => {
    const number = row.result.replace(/^[<>]/, '')
    return parseDecimal(number) ? [{ at: Date.parse(row.processDate), value: Number(number), row }] : []
  })
