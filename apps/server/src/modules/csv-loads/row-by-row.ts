import type { FieldError } from '@lis/contract/kit/errors.ts'
import type { FastifyError } from 'fastify'
import { sql } from 'kysely'
import type { z } from 'zod'
import { AppError } from '../../platform/errors.ts'
import { toAppError } from '../../platform/http/error-handler.ts'
import { validationMessages } from '../../platform/validation-messages.ts'
import { failed, type LoadCall, type Loader, loaded, type RowOutcome, skipped } from './loader.ts'
import type { CsvRow, RowError } from './read-csv.ts'

export interface RowByRow {
  /**
   * Writes one row by the same service as its form; `false` when it was loaded before. Its complaints name API fields. `seen` has the keys of
   * the rows before, with what the loader wants to know of them.
   */
  write: (call: LoadCall, cells: Record<string, string>, seen: Map<string, readonly string[]>) => Promise<boolean>
  /** Which column a field of the API came from, where the names differ. */
  columns?: Record<string, string>
}

/** A loader that treats each row like a submitted form. A failed row is rolled back alone. */
export const rowByRow = ({ write, columns = {} }: RowByRow): Loader => {
  // Of a dry run the database forgets the rows before; here the keys of the file are remembered.
  const seen = new Map<string, readonly string[]>()
  let begun = { atRow: -1, known: 0 }
  /** A chunk that is repeated after a conflict: forgets the keys of its rows, or they would count as loaded. */
  const begin = (atRow: number) => {
    if (begun.atRow !== atRow) begun = { atRow, known: seen.size }
    else for (const key of [...seen.keys()].slice(begun.known)) seen.delete(key)
  }
  const applyRow = async (call: LoadCall, row: CsvRow): Promise<RowOutcome> => {
    if (row.fault) return failed(row.no, [{ columnName: null, message: row.fault }])
    await sql`savepoint csv_row`.execute(call.db)
    try {
      const isNew = await write(call, row.cells, seen)
      await sql`release savepoint csv_row`.execute(call.db)
      return isNew ? loaded(row.no) : skipped(row.no)
    } catch (error) {
      const fault = rowErrorFrom(error)
      if (!fault) throw error
      await sql`rollback to savepoint csv_row`.execute(call.db)
      return failed(row.no, errorsOf(fault, columns))
    }
  }
  return {
    rowsAtOnce: 100,
    apply: async (call, rows) => {
      begin(rows[0]?.no ?? 0)
      const outcomes: RowOutcome[] = []
      for (const row of rows) outcomes.push(await applyRow(call, row))
      return outcomes
    },
  }
}

/** The error of a row: from its service, or a value that the database refuses (SQLSTATE class 22). */
export const rowErrorFrom = (error: unknown): AppError | undefined => {
  if (error instanceof AppError) return error
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string' || !/^22[0-9A-Z]{3}$/.test(code)) return undefined
  const known = toAppError(error as FastifyError)
  return known.status < 500 ? known : new AppError('invalid', 'A value of this row cannot be stored', { cause: error })
}

export const errorsOf = ({ errors, message }: AppError, columns: Record<string, string> = {}): RowError[] => {
  if (!errors?.length) return [{ columnName: null, message }]
  const named = errors.map(({ field, message: text }) => {
    const [name = ''] = field.split('.')
    return { columnName: columns[name] ?? name, message: text }
  })
  // One error per column.
  return named.filter((one, index) => named.findIndex((other) => other.columnName === one.columnName) === index)
}

/** Parses the cells like the body of the form. Columns with an error already get no second one. */
export const parseRow = <T extends z.ZodType>(
  schema: T,
  body: Record<string, unknown>,
  faults: readonly FieldError[] = [],
): z.output<T> => {
  const parsed = schema.safeParse(body, validationMessages)
  if (parsed.success && faults.length === 0) return parsed.data
  const others = (parsed.error?.issues ?? [])
    .map(({ path, message }) => ({ field: String(path[0] ?? ''), message }))
    .filter(({ field }) => !faults.some((fault) => fault.field === field))
  throw new AppError('invalid', 'invalid', { errors: [...faults, ...others] })
}

/** 1, 0 or nothing; anything else is left for the schema to refuse. */
export const parseFlag = (cell: string | undefined): unknown =>
  cell === '1' ? 1 : cell === '0' ? 0 : cell || undefined

/** Empty cells count as not sent; codes are converted to upper case. */
export const nonEmptyCells = (cells: Record<string, string>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => [
      name,
      cell === '' ? undefined : /(?:Code|Uom)$/.test(name) ? cell.toUpperCase() : cell,
    ]),
  )

/** Ignores case, accents and punctuation. */
export const isSameName = (one: string, other: string) =>
  one.localeCompare(other, 'en', { sensitivity: 'base', ignorePunctuation: true }) === 0
