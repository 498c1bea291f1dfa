import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import type { CsvRow, RowError } from './read-csv.ts'

export type LoadCall = WriteCall & { services: Services }

/** The outcome of a row: loaded, loaded before, or refused with every reason. */
export interface RowOutcome {
  no: number
  state: 'loaded' | 'skipped' | 'failed'
  errors: readonly RowError[]
}

/** One load type. `apply` writes good rows in the transaction of the call and refuses the others; it never throws for a row. */
export interface Loader {
  rowsAtOnce: number
  apply: (call: LoadCall, rows: readonly CsvRow[]) => Promise<RowOutcome[]>
}

export const failed = (no: number, errors: readonly RowError[]): RowOutcome => ({ no, state: 'failed', errors })
export const loaded = (no: number): RowOutcome => ({ no, state: 'loaded', errors: [] })
export const skipped = (no: number): RowOutcome => ({ no, state: 'skipped', errors: [] })
