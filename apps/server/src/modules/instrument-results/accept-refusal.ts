import type { ReviewRefusal } from '@lis/contract/instrument-results.ts'
import { displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { StoredTest } from '../lab-tests/stored-tests.ts'
import { isReleased } from '../quality-control/lookbacks.ts'
import { hasNoValue } from './measured.ts'
import type { StoredResult } from './rows.ts'

export interface Refused {
  id: number
  code: ReviewRefusal
  message: string
}

export const hasResult = ({ result, reportable, failCodes }: StoredTest) =>
  result !== null || reportable !== null || failCodes !== null

interface AcceptContext {
  isNumeric: boolean
  isOut: boolean
  isOneOfSeveral: boolean
  /** Another result of the test is accepted by the same call. */
  isSecond: boolean
  /** A report of its requisition has been released. */
  hasReleasedReport: boolean
  reason: string | null
}

/** Another result can be chosen in these, which takes the requisition back to Processing. */
export const replaceableIn: readonly StatusCode[] = ['RESULT', 'REPORT']

/** Why a result cannot be accepted; null if it can. */
export const acceptRefusal = (
  result: StoredResult,
  test: StoredTest | undefined,
  { isNumeric, isOut, isOneOfSeveral, isSecond, hasReleasedReport, reason }: AcceptContext,
): Refused | null => {
  const { id, value, status } = result
  if (!test) return { id, code: 'state', message: 'The test is no longer ordered' }
  const where = `Requisition #${test.requisitionId} is ${displayStatus(test.status)}`
  if (test.status !== 'PROCESS' && !(replaceableIn.includes(test.status) && hasResult(test)))
    return { id, code: 'state', message: `${where}: results are entered in Processing` }
  if (test.status === 'REPORT' && hasReleasedReport)
    return {
      id,
      code: 'state',
      message: `${where} and a report of it has been released: modify the result in Processing and correct the report`,
    }
  if (hasNoValue(value, status, isNumeric))
    return { id, code: 'value', message: `${test.testCode} has no value: ${value}` }
  if (status === 'P')
    return { id, code: 'value', message: `${test.testCode} is preliminary: its final result has not come yet` }
  if (isOut)
    return {
      id,
      code: 'qc',
      message: `Quality control of ${test.testCode} is out of control on ${result.instrumentName}`,
    }
  if (isSecond) return { id, code: 'state', message: `Another result of ${test.testCode} is chosen already` }
  if (isOneOfSeveral && reason === null)
    return {
      id,
      code: 'reason',
      message: `${test.testCode} has several results: say why this one counts${test.status === 'REPORT' ? '. Its report is put on hold and must be made again' : ''}`,
    }
  return null
}

/** Requisitions of these tests of which a report has been released. */
export const listReleased = async (trx: Trx, tests: readonly StoredTest[]) => {
  const ids = [...new Set(tests.map(({ requisitionId }) => requisitionId))]
  const { rows } = await sql<{
    id: number
  }>`select r.id from requisition r where r.id = ${anyId(ids)} and ${isReleased}`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/** The kind of result of each test. */
export const loadKinds = async (trx: Trx, tests: readonly StoredTest[]) =>
  new Map(
    (
      await trx
        .selectFrom('test')
        .select(['id', 'result_kind as kind'])
        .where('id', '=', anyId(tests.map(({ testId }) => testId)))
        .execute()
    ).map(({ id, kind }) => [id, kind]),
  )
