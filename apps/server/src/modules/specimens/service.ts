import { messages } from '@lis/contract/messages.ts'
import {
  type ReceivedParts,
  type SpecimenInput,
  specimenCodes,
  specimenLabels,
  specimenMessages,
} from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { invalid, invalidFields } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { instantAt } from '../../platform/zones.ts'
import { raiseIssue, resolveIssues } from '../issues/service.ts'
import { unknownCodes } from '../lookups/queries.ts'
import { lockRequisition, type RequisitionHead } from '../requisition-record/queries.ts'
import type { NewSpecimen } from './queries.ts'

/** Clocks of a bench and of the server differ by a little. */
const clockMs = 5 * 60_000

/** Writes down what has come in, in the time of the laboratory it came to. */
export const receiveSpecimen = async (call: WriteCall, requisitionId: number, input: SpecimenInput) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  await requireCodes(call, input)
  const receivedAt = receiptOf(input, requisition)
  const row: NewSpecimen = {
    requisition_id: requisitionId,
    type_code: input.specimenTypeCode,
    temperature_code: input.temperatureTypeCode,
    container_code: input.containerTypeCode,
    tube_count: input.tubeCount,
    received_at: receivedAt,
    received_zone: requisition.lab_zone,
    created_by: actor.userId,
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
  await watchForTests(db, requisitionId)
  return { id }
}

/** A tube that nobody has ordered anything from waits in silence: an issue says so, until a test is ordered. */
export const watchForTests = async (trx: Trx, requisitionId: number) => {
  const { rows } = await sql<{ has_specimen: boolean; has_test: boolean }>`
    select exists (select from specimen where requisition_id = ${requisitionId} and deleted_at is null) as has_specimen,
      exists (select from requisition_test where requisition_id = ${requisitionId} and deleted_at is null and not is_retest) as has_test`.execute(
    trx,
  )
  const by = 'Accessioning'
  if (rows[0]?.has_test) await resolveIssues(trx, [requisitionId], 'NOTEST', by)
  else if (rows[0]?.has_specimen) await raiseIssue(trx, requisitionId, 'NOTEST', { by })
}

export const requireCodes = async ({ db }: WriteCall, input: SpecimenInput) => {
  const fields = Object.keys(specimenCodes) as (keyof typeof specimenCodes)[]
  const wrong = await unknownCodes(
    db,
    fields.map((field) => ({ field, type: specimenCodes[field], code: input[field] })),
  )
  if (wrong.length === 0) return
  throw invalidFields(
    wrong.map(({ field }) => ({
      field,
      message: messages.invalid(specimenLabels[field as keyof typeof specimenCodes]),
    })),
  )
}

export const receiptOf = (input: SpecimenInput, requisition: RequisitionHead): string => {
  const now = Date.now()
  const given = hasReceipt(input) ? instantOf(input, requisition.lab_zone) : new Date(now).toISOString()
  if (given === null) throw invalid('dateReceivedDay', messages.invalidDate)
  const at = Date.parse(given)
  if (at > now + clockMs) throw invalid('dateReceivedDay', specimenMessages.inFuture)
  // The form has no seconds: a tube that is drawn and handed over within a minute is not received before it was drawn.
  if (at + 60_000 <= Date.parse(requisition.collected_at))
    throw invalid('dateReceivedDay', specimenMessages.beforeCollection)
  return given
}

export const hasReceipt = (input: SpecimenInput): input is SpecimenInput & ReceivedParts =>
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
