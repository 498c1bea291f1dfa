import type { InstrumentResultState, ResultReason } from '@lis/contract/instrument-results.ts'
import type { Trx } from '../../platform/db/db.ts'
import { identityOf, type MeasuredResult } from './measured.ts'

/** The message that contained the results. */
export interface ResultOrigin {
  instrumentId: number
  messageId: number
  messageHash: Buffer
  receivedAt: string
  clockOffsetSec: number | null
}

/** The test of a result; `reasons` say why none was found. */
export interface Placed {
  state: InstrumentResultState
  reasons: ResultReason[]
  requisitionId: number | null
  requisitionTestId: number | null
  testId: number | null
}

export interface NewResult {
  result: MeasuredResult
  placed: Placed
  isControl?: boolean
  qcRunId?: number | null
}

export const insertResults = async (trx: Trx, origin: ResultOrigin, rows: readonly NewResult[]): Promise<number[]> => {
  if (rows.length === 0) return []
  const inserted = await trx
    .insertInto('instrument_result')
    .values(
      rows.map(({ result, placed, isControl = false, qcRunId = null }) => ({
        instrument_id: origin.instrumentId,
        message_id: origin.messageId,
        specimen_id: result.specimenId,
        instrument_code: result.code,
        requisition_id: placed.requisitionId,
        requisition_test_id: placed.requisitionTestId,
        test_id: placed.testId,
        value: result.value,
        units: result.units,
        flags: result.flags,
        abnormal_flag: result.abnormalFlag,
        result_status: result.status || null,
        operator: result.operator,
        reagent_lot: result.reagentLot,
        measured_at: result.measuredAt,
        received_at: origin.receivedAt,
        clock_offset_sec: origin.clockOffsetSec,
        raw_record: result.rawRecord,
        is_control: isControl,
        qc_run_id: qcRunId,
        identity_hash: identityOf(result, origin.messageHash),
        state: placed.state,
        reasons: JSON.stringify(placed.reasons),
      })),
    )
    .returning('id')
    .execute()
  return inserted.map(({ id }) => id)
}
