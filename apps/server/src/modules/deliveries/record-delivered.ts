import { type TransmitMethodCode, transmitMethods } from '@lis/contract/deliveries.ts'
import { findMove, type Move } from '@lis/contract/requisitions/status.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { runMove } from '../life-cycle/service.ts'
import { addReportEvents } from '../reports/service.ts'
import { clearResolvedFailures, resolveInterfaceIssues } from './failures.ts'

export interface DeliveredRow {
  requisition_id: number
  report_id: number
  report_version_no: number
  transmit_method_code: string
  recipient: string
}

/** Adds deliveries to the reports' history, clears resolved failures, and moves a requisition on once all its reports are delivered. */
export const recordDelivered = async (write: WriteCall, rows: readonly DeliveredRow[]) => {
  if (rows.length === 0) return
  const { db, actor } = write
  await addReportEvents(
    db,
    actor.userId,
    rows.map((row) => ({
      reportId: row.report_id,
      versionNo: row.report_version_no,
      action: 'DELIVER',
      detail: `${transmitMethods[row.transmit_method_code as TransmitMethodCode]} to ${row.recipient}`,
    })),
  )
  const reqIds = [...new Set(rows.map((row) => row.requisition_id))]
  await clearResolvedFailures(db, reqIds)
  const byInterface = rows.filter((row) => row.transmit_method_code === 'HL7').map((row) => row.requisition_id)
  await resolveInterfaceIssues(db, byInterface)
  await runMove(write, reqIds, findMove('RELEASE', 'DELIVER', 'DELIVERY') as Move)
}
