import { messages } from '@lis/contract/messages.ts'
import {
  type ReceivedParts,
  type SpecimenInput,
  specimenCodes,
  specimenLabels,
  specimenMessages,
} from '@lis/contract/specimens.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { invalid, invalidFields } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { instantAt } from '../../platform/zones.ts'
import { raiseIssue, resolveIssues } from '../issues/service.ts'
import { unknownCodes } from '../lookups/queries.ts'
import { lockRequisition, type RequisitionHead } from '../requisition-record/queries.ts'

/** Tolerates a small difference between the clocks of a workstation and the server. */
const clockToleranceMs = 5 * 60_000

/** Records a received specimen in the time zone of its laboratory; `labelSuffix` is that of the scanned label. */
export const receiveSpecimen = async (
  call: WriteCall,
  requisitionId: number,
  input: SpecimenInput,
  labelSuffix: string | null = null,
) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  await requireCodes(call, input)
  const receivedAt = receivedInstant(input, requisition)
  const row = {
    requisition_id: requisitionId,
    type_code: input.specimenTypeCode,
    temperature_code: input.temperatureTypeCode,
    container_code: input.containerTypeCode,
    tube_count: input.tubeCount,
    received_at: receivedAt,
    received_zone: requisition.lab_zone,
    created_by: actor.userId,
    label_suffix: labelSuffix,
  }
  const { id } = await db.insertInto('specimen').values(row).returning('id').executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, {
    entity: 'specimen',
    entityId: id,
    requisitionId,
    clientId: requisition.client_id,
    action: 'SPECIMEN',
    new: {
      specimenTypeCode: row.type_code,
      temperatureTypeCode: row.temperature_code,
      containerTypeCode: row.container_code,
      tubeCount: row.tube_count,
      dateReceived: receivedAt,
    },
  })
  await updateNoTestIssue(db, requisitionId)
  return { id }
}

/** Raises an issue while a requisition has a specimen and no test, and resolves it when a test is ordered. */
export const updateNoTestIssue = async (trx: Trx, requisitionId: number) => {
  const { hasSpecimen, hasTest } = await trx
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(
        selectFrom('specimen').select('id').where('requisition_id', '=', requisitionId).where('deleted_at', 'is', null),
      ).as('hasSpecimen'),
      exists(
        selectFrom('requisition_test')
          .select('id')
          .where('requisition_id', '=', requisitionId)
          .where('deleted_at', 'is', null)
          .where((eb) => eb.not('is_retest')),
      ).as('hasTest'),
    ])
    .executeTakeFirstOrThrow()
  const by = 'Accessioning'
  if (hasTest) await resolveIssues(trx, [requisitionId], 'NOTEST', by)
  else if (hasSpecimen) await raiseIssue(trx, requisitionId, 'NOTEST', { by })
}

export const requireCodes = async (
  { db }: WriteCall,
  input: { [field in keyof typeof specimenCodes]?: string | undefined },
) => {
  const fields = Object.keys(specimenCodes) as (keyof typeof specimenCodes)[]
  const wrong = await unknownCodes(
    db,
    fields.map((field) => ({ field, type: specimenCodes[field], code: input[field] ?? null })),
  )
  if (wrong.length === 0) return
  throw invalidFields(
    wrong.map(({ field }) => ({
      field,
      message: messages.invalid(specimenLabels[field as keyof typeof specimenCodes]),
    })),
  )
}

export const receivedInstant = (input: Partial<ReceivedParts>, requisition: RequisitionHead): string => {
  const now = Date.now()
  const given = hasReceivedTime(input) ? instantOf(input, requisition.lab_zone) : new Date(now).toISOString()
  if (given === null) throw invalid('dateReceivedDay', messages.invalidDate)
  const at = Date.parse(given)
  if (at > now + clockToleranceMs) throw invalid('dateReceivedDay', specimenMessages.inFuture)
  // The form has no seconds: a tube that is received in the minute it was drawn is not received before.
  if (at + 60_000 <= Date.parse(requisition.collected_at))
    throw invalid('dateReceivedDay', specimenMessages.beforeCollection)
  return given
}

export const hasReceivedTime = (input: Partial<ReceivedParts>): input is ReceivedParts =>
  input.dateReceivedDay !== undefined

const instantOf = (parts: ReceivedParts, zone: string) =>
  instantAt(
    {
      year: parts.dateReceivedYear,
      month: parts.dateReceivedMonth,
      day: parts.dateReceivedDay,
      hour: (parts.timeReceivedHours % 12) + (parts.timeReceivedAmPm === 'pm' ? 12 : 0),
      minute: parts.timeReceivedMinutes,
    },
    zone,
  )
