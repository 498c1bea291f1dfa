import { qcLevels } from '@lis/contract/csv-load-columns.ts'
import { csvLoadMessages } from '@lis/contract/csv-loads.ts'
import type { FieldError } from '@lis/contract/kit/errors.ts'
import { messages } from '@lis/contract/messages.ts'
import { type QcRunInput, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { parseDecimal } from '@lis/contract/results/decimal.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import { createRun } from '../quality-control/runs.ts'
import { instantReader } from './cells.ts'
import type { Loader } from './loader.ts'
import { createFinder } from './references.ts'
import { parseRow, rowByRow } from './row-by-row.ts'

/** Control runs, a row each. A run with the same values that was entered before is skipped. */
export const qcLoader = (): Loader => {
  const instantOf = instantReader()
  return rowByRow({
    columns: { instrumentId: 'instrument' },
    write: async (call, cells, seen) => {
      const { input, columns } = await readRun(call.db, cells, instantOf)
      const key = JSON.stringify([input.instrumentId, input.testCode, input.ranAt, input.values])
      if (seen.has(key) || (await isStored(call.db, input))) return false
      try {
        await createRun(call, input)
      } catch (error) {
        throw inColumns(error, columns)
      }
      seen.set(key, [])
      return true
    },
  })
}

type Cells = Record<string, string>

const readRun = async (trx: Trx, cells: Cells, instantOf: ReturnType<typeof instantReader>) => {
  const { instrument = '', testCode = '', ranAt = '', operator, runNo } = cells
  const faults: FieldError[] = []
  const fault = (field: string, message: string) => faults.push({ field, message })
  const found = await findInstrument(trx, instrument)
  if ('fault' in found) fault('instrument', found.fault)
  const zone = 'zone' in found ? found.zone : 'UTC'
  const instant = ranAt === '' ? undefined : instantOf(ranAt, zone)
  if (instant === null) fault('ranAt', csvLoadMessages.timeFormat)
  const filled = qcLevels.filter((level) => cells[`lot${level}`] || cells[`value${level}`])
  if (filled.length === 0) fault('value1', messages.required('value1'))
  const lots = await findLots(trx, cells)
  const values = filled.map((level) => {
    const [lot, value] = [cells[`lot${level}`], cells[`value${level}`]]
    const ids = lots.filter((one) => one.level === level && one.lotNumber === lot).map(({ id }) => id)
    if (!lot) fault(`lot${level}`, messages.required(`lot${level}`))
    else if (ids.length === 0) fault(`lot${level}`, `There is no lot ${lot} of level ${level}`)
    else if (ids.length > 1) fault(`lot${level}`, `Several materials have a lot ${lot} of level ${level}`)
    const number = parseDecimal(value ?? '') ? value : undefined
    if (!value) fault(`value${level}`, messages.required(`value${level}`))
    else if (number === undefined) fault(`value${level}`, messages.invalid(`value${level}`))
    return { lotId: ids[0] ?? 1, value: number ?? '0' }
  })
  const input = parseRow(
    qualityControlRoutes.createRun.body,
    {
      // An unknown instrument has its own message.
      instrumentId: 'id' in found ? found.id : 1,
      testCode: testCode.toUpperCase(),
      ranAt: instant ?? undefined,
      operator,
      runNo,
      values: values.length > 0 ? values : [{ lotId: 1, value: '0' }],
    },
    faults,
  )
  return { input, columns: filled.map((level) => `lot${level}`) }
}

const findInstrument = async (trx: Trx, cell: string): Promise<{ id: number; zone: string } | { fault: string }> => {
  if (cell === '') return { fault: messages.required('instrument') }
  const { rows } = await sql<{ id: number; name: string; serial: string | null; zone: string }>`
    select i.id, i.name, i.serial_number as serial, lab.zone from instrument i join lab on lab.id = i.lab_id where i.deleted_at is null`.execute(
    trx,
  )
  const records = rows.map(({ id, name, serial }) => ({ id, names: serial ? [name, serial] : [name], within: null }))
  const found = createFinder('instrument', records)(cell)
  if ('fault' in found) return found
  const row = rows.find(({ id }) => id === found.id)
  return row ?? { fault: `There is no instrument ${cell}` }
}

const findLots = async (trx: Trx, cells: Cells) => {
  const numbers = qcLevels.flatMap((level) => cells[`lot${level}`] || [])
  const { rows } = await sql<{ id: number; level: number; lotNumber: string }>`
    select id, level, lot_number as "lotNumber" from qc_lot where lot_number = any(${numbers}::text[])`.execute(trx)
  return rows
}

/** A run of the same time with the same lots and values. */
const isStored = async (trx: Trx, { instrumentId, testCode, ranAt, values }: QcRunInput): Promise<boolean> => {
  const { rows } = await sql`
    select from qc_run q join test t on t.id = q.test_id
    where q.instrument_id = ${instrumentId} and t.code = ${testCode} and q.ran_at = ${ranAt}::timestamptz and not q.is_void
      and not exists (select from unnest(${values.map(({ lotId }) => lotId)}::int[], ${values.map(({ value }) => value)}::numeric[]) as n(lot_id, value)
        where not exists (select from qc_value v where v.run_id = q.id and v.lot_id = n.lot_id and v.value = n.value)) limit 1`.execute(
    trx,
  )
  return rows.length > 0
}

/** A complaint about the third value names the column of its lot. */
const inColumns = (error: unknown, columns: readonly string[]): unknown => {
  if (!(error instanceof AppError) || !error.errors) return error
  const errors = error.errors.map(({ field, message }) => {
    const [, index] = /^values\.(\d+)/.exec(field) ?? []
    return { field: (index !== undefined && columns[Number(index)]) || field, message }
  })
  return new AppError(error.code, error.message, { errors })
}
