import { recordAudit } from '../../platform/audit/record.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { ResultEntry } from '../lab-tests/service.ts'
import type { StoredResult } from './rows.ts'

/** The result as stored on the requisition: the value as sent, which the rules of the test round and interpret. */
export const resultEntry = (result: StoredResult): ResultEntry => ({
  requisitionId: result.requisitionId as number,
  reqTestId: result.requisitionTestId as number,
  result: result.value.trim().replace(/^\+(?=[\d.])/, ''),
  processDate: result.measuredAt ?? result.receivedAt,
  reagent: result.reagentLot,
  source: { instrumentId: result.instrumentId, instrumentResultId: result.id },
})

/** The source of results in the history. */
export const recordSource = (write: WriteCall, results: readonly StoredResult[], how: string, reason?: string | null) =>
  recordAudit(
    write.db,
    write.actor,
    write.requestId,
    results.map((result) => ({
      entity: 'requisition',
      entityId: result.requisitionId as number,
      requisitionId: result.requisitionId as number,
      action: 'INSTRUMENT',
      ...(reason && { reason }),
      new: {
        [result.instrumentCode]: [result.value, result.units].filter(Boolean).join(' '),
        instrument: result.instrumentName,
        decision: how,
        measuredAt: result.measuredAt,
        operator: result.operator,
        reagentLot: result.reagentLot,
        flags: result.flags.join(', ') || null,
        instrumentResultId: result.id,
      },
    })),
  )
