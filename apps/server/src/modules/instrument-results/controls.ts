import type { ResultReason } from '@lis/contract/instrument-results.ts'
import { parseDecimal } from '@lis/contract/results/decimal.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { createRun } from '../quality-control/runs.ts'
import type { MeasuredResult } from './measured.ts'
import { insertResults, type NewResult, type ResultOrigin } from './new-results.ts'

interface Control {
  result: MeasuredResult
  testId: number
  testCode: string
  lotId: number
  level: number
}

/** Controls never become patient results: they become runs, one per test and message; unknown ones are held. */
export const placeControls = async (write: WriteCall, origin: ResultOrigin, results: readonly MeasuredResult[]) => {
  const found = await Promise.all(results.map((result) => findControl(write.db, origin.instrumentId, result)))
  const known = found.filter((one): one is Control => !('reasons' in one))
  const rows: NewResult[] = found.flatMap((one) =>
    'reasons' in one ? [heldControl(one.result, one.reasons, one.testId)] : [],
  )
  for (const ofTest of Map.groupBy(known, ({ testId }) => testId).values())
    for (const run of separateLevels(ofTest)) rows.push(...(await storeRun(write, origin, run)))
  const place = new Map(results.map((result, index) => [result, index]))
  await insertResults(
    write.db,
    origin,
    rows.toSorted((a, b) => (place.get(a.result) ?? 0) - (place.get(b.result) ?? 0)),
  )
}

const heldControl = (result: MeasuredResult, reasons: ResultReason[], testId: number | null): NewResult => ({
  result,
  isControl: true,
  placed: { state: 'HELD', reasons, requisitionId: null, requisitionTestId: null, testId },
})

interface UnknownControl {
  result: MeasuredResult
  reasons: ResultReason[]
  testId: number | null
}

const findControl = async (
  trx: Trx,
  instrumentId: number,
  result: MeasuredResult,
): Promise<Control | UnknownControl> => {
  const { rows } = await sql<{
    testId: number | null
    testCode: string | null
    lotId: number | null
    level: number | null
  }>`
    select t.id as "testId", t.code as "testCode", l.id as "lotId", l.level from (select 1) one
    left join instrument_code c on c.instrument_id = ${instrumentId}::int and c.instrument_code = ${result.code}
    left join test t on t.id = c.test_id and t.deleted_at is null
    left join instrument_control k on k.instrument_id = ${instrumentId}::int and k.specimen_id = ${result.specimenId}
    left join qc_lot l on l.id = k.lot_id`.execute(trx)
  const { testId = null, testCode = null, lotId = null, level = null } = rows[0] ?? {}
  const reasons: ResultReason[] = []
  if (lotId === null || level === null)
    reasons.push({
      code: 'UNKNOWN_CONTROL',
      text: `No control of this instrument has the specimen number ${result.specimenId}`,
    })
  if (testId === null || testCode === null)
    reasons.push({ code: 'UNKNOWN_CODE', text: `The code ${result.code} is not in the instrument's table` })
  if (result.status === 'X' || !/\d/.test(result.value))
    reasons.push({ code: 'NO_VALUE', text: `The instrument gives no value: ${result.value}` })
  else if (parseDecimal(result.value) === undefined)
    reasons.push({ code: 'NOT_NUMERIC', text: `${result.value} is not a number` })
  if (result.status === 'P')
    reasons.push({ code: 'PRELIMINARY', text: 'Preliminary: the final result has not come yet' })
  if (reasons.length > 0 || testId === null || testCode === null || lotId === null || level === null)
    return { result, reasons, testId }
  return { result, testId, testCode, lotId, level }
}

/** A run has each level once: the second value of a level belongs to another run. */
const separateLevels = (controls: readonly Control[]): Control[][] => {
  const runs: Control[][] = []
  for (const control of controls) {
    const run = runs.find((others) => others.every(({ level }) => level !== control.level))
    if (run) run.push(control)
    else runs.push([control])
  }
  return runs
}

/** By the clock of the instrument, but never later than its arrival: a run in the future would keep its test in control until then. */
const ranAt = (run: readonly Control[], { receivedAt }: ResultOrigin): string => {
  const measuredAt = run
    .flatMap(({ result }) => result.measuredAt ?? [])
    .toSorted()
    .at(-1)
  return measuredAt === undefined || Date.parse(measuredAt) > Date.parse(receivedAt) ? receivedAt : measuredAt
}

/** An expired lot, or any other error found by quality control, holds all controls of the run. */
const storeRun = async (write: WriteCall, origin: ResultOrigin, run: readonly Control[]): Promise<NewResult[]> => {
  const [first] = run as [Control]
  await sql`savepoint control_run`.execute(write.db)
  try {
    const { id } = await createRun(write, {
      instrumentId: origin.instrumentId,
      testCode: first.testCode,
      ranAt: ranAt(run, origin),
      operator: first.result.operator,
      runNo: null,
      values: run.map(({ lotId, result }) => ({ lotId, value: result.value })),
    })
    await sql`release savepoint control_run`.execute(write.db)
    return run.map(({ result, testId }) => ({
      result,
      isControl: true,
      qcRunId: id,
      placed: { state: 'CONTROL', reasons: [], requisitionId: null, requisitionTestId: null, testId },
    }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`rollback to savepoint control_run`.execute(write.db)
    const words = error.errors?.map(({ message }) => message).join('; ') ?? error.message
    return run.map(({ result, testId }) => heldControl(result, [{ code: 'UNKNOWN_CONTROL', text: words }], testId))
  }
}
