import type { InstrumentResultState, ReasonCode, ResultCheck, ResultReason } from '@lis/contract/instrument-results.ts'
import { reasonCodes } from '@lis/contract/instrument-results.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'

/** A stored result of an instrument, as the rules and the review need it. */
export interface StoredResult {
  id: number
  version: number
  instrumentId: number
  instrumentName: string
  messageId: number
  specimenId: string
  instrumentCode: string
  requisitionId: number | null
  requisitionTestId: number | null
  testId: number | null
  value: string
  units: string | null
  flags: string[]
  status: string | null
  operator: string | null
  reagentLot: string | null
  measuredAt: string | null
  receivedAt: string
  clockOffsetSec: number | null
  isControl: boolean
  state: InstrumentResultState
  decidedByName: string | null
  reasons: ResultReason[]
}

const columns = sql`i.id, i.version, i.instrument_id as "instrumentId", k.name as "instrumentName", i.message_id as "messageId",
  i.specimen_id as "specimenId", i.instrument_code as "instrumentCode", i.requisition_id as "requisitionId",
  i.requisition_test_id as "requisitionTestId", i.test_id as "testId", i.value, i.units, i.flags, i.result_status as status, i.operator,
  i.reagent_lot as "reagentLot", i.measured_at as "measuredAt", i.received_at as "receivedAt",
  i.clock_offset_sec as "clockOffsetSec", i.is_control as "isControl", i.state,
  i.decided_by_name as "decidedByName", i.reasons`

/** In the order in which they came. The caller has locked their requisitions. */
export const lockResults = async (trx: Trx, ids: readonly number[]): Promise<StoredResult[]> => {
  const { rows } =
    await sql<StoredResult>`select ${columns} from instrument_result i join instrument k on k.id = i.instrument_id
    where i.id = ${anyId(ids)} order by i.id for update of i`.execute(trx)
  return rows
}

/** What waits for a person on these requisitions, in the order in which it came. */
export const listWaiting = async (db: Db, requisitionIds: readonly number[]): Promise<StoredResult[]> => {
  const { rows } =
    await sql<StoredResult>`select ${columns} from instrument_result i join instrument k on k.id = i.instrument_id
    where i.requisition_id = ${anyId(requisitionIds)} and i.state = 'REVIEW' order by i.id`.execute(db)
  return rows
}

/** The worst first. */
const byWeight = <Reason extends { code: ReasonCode }>(reasons: readonly Reason[]): Reason[] =>
  reasons.toSorted((a, b) => reasonCodes.indexOf(a.code) - reasonCodes.indexOf(b.code))

export const reasonsOf = (checks: readonly ResultCheck[]): ResultReason[] =>
  byWeight(checks.filter(({ passed }) => !passed)).map(({ code, text }) => ({ code, text }))
