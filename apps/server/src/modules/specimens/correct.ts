import type { SpecimenCorrection } from '@lis/contract/specimens.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import { announce } from '../../platform/domain-events.ts'
import { notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { differences } from '../patients/service.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { hasReceivedTime, receivedInstant, requireCodes } from './service.ts'

/** Corrects the record of a receipt; the history keeps old and new values, who changed them and why. */
export const correctSpecimen = async (
  call: WriteCall,
  { id: requisitionId, specimenId }: { id: number; specimenId: number },
  { reason, ...input }: SpecimenCorrection,
  expected: number | null,
): Promise<{ id: number; version: number }> => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  const found = await db
    .selectFrom('specimen')
    .selectAll()
    .where('id', '=', specimenId)
    .where('requisition_id', '=', requisitionId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!found) throw notFound('Specimen')
  await requireVersion(db, 'specimen', expected, found)
  await requireCodes(call, input)
  const before = new Date(found.received_at).toISOString()
  const now = {
    type_code: input.specimenTypeCode ?? found.type_code,
    temperature_code: input.temperatureTypeCode ?? found.temperature_code,
    container_code: input.containerTypeCode ?? found.container_code,
    tube_count: input.tubeCount ?? found.tube_count,
    received_at: hasReceivedTime(input) ? receivedInstant(input, requisition) : before,
  }
  const changed = differences(auditFields({ ...found, received_at: before }), auditFields(now))
  if (Object.keys(changed.new).length === 0) return { id: found.id, version: found.version }
  const { version } = await db
    .updateTable('specimen')
    .set({ ...now, received_zone: requisition.lab_zone, version: found.version + 1 })
    .where('id', '=', specimenId)
    .returning('version')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, {
    entity: 'specimen',
    entityId: specimenId,
    requisitionId,
    clientId: requisition.client_id,
    action: 'SPECIMEN',
    reason,
    ...changed,
  })
  const isPrinted = 'specimenTypeCode' in changed.new || 'containerTypeCode' in changed.new
  if (isPrinted) await announce(call, 'recordChanged', { requisitionIds: [requisitionId], changed: ['Specimen'] })
  return { id: specimenId, version }
}

interface Receipt {
  type_code: string
  temperature_code: string
  container_code: string
  tube_count: number
  received_at: string
}

/** Without seconds, which the form does not have. */
const auditFields = (row: Receipt) => ({
  specimenTypeCode: row.type_code,
  temperatureTypeCode: row.temperature_code,
  containerTypeCode: row.container_code,
  tubeCount: row.tube_count,
  dateReceived: `${row.received_at.slice(0, 16)}:00Z`,
})
