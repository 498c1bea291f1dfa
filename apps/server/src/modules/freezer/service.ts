import { messages } from '@lis/contract/messages.ts'
import { type LocationInput, locationCodes, locationLabels, locationMessages } from '@lis/contract/spec-locations.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import { conflict, invalid, invalidFields, notFound } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { unknownCodes } from '../lookups/queries.ts'
import { lockRequisition } from '../requisitions/queries.ts'
import { specimenKinds } from '../specimens/queries.ts'
import { emptySlots, findSlots, lockLocations, type Slot, takeSlots } from './queries.ts'

/** Places all samples of the call or none: a slot that somebody else took meanwhile is named. */
export const placeSamples = async (call: WriteCall, requisitionId: number, input: LocationInput) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  await requireCodes(call, input)
  const slots = await findSlots(db, input.trackerIds)
  if (slots.length !== input.trackerIds.length) throw invalid('trackerIds', messages.invalid(locationLabels.trackerIds))
  if (slots.some(({ lab_id }) => lab_id !== requisition.lab_id)) throw invalid('trackerIds', locationMessages.otherLab)
  const specimenId = await specimenOf(call, requisitionId, input)
  const placed = await takeSlots(db, {
    requisitionId,
    specimenId,
    typeCode: input.specLocTypeCode,
    sizeCode: input.sampleSizeCode,
    slotIds: input.trackerIds,
    userId: actor.userId,
  })
  const own = new Map(placed.map(({ id, slot_id }) => [slot_id, id]))
  const taken = slots.filter(({ id }) => !own.has(id))
  if (taken.length > 0) throw conflict(locationMessages.taken(taken.map(({ name }) => name)))
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    clientId: requisition.client_id,
    action: 'PLACE',
    new: {
      specLocTypeCode: input.specLocTypeCode,
      sampleSizeCode: input.sampleSizeCode,
      aliquot: input.aliquot,
      specimenId,
      slots: namesOf(slots),
      trackerIds: input.trackerIds,
    },
  })
  return { ids: input.trackerIds.map((slotId) => own.get(slotId) as number) }
}

/** The slots are free again. What was discarded before stays as it is, so that the call may be sent twice. */
export const discardSamples = async (call: WriteCall, requisitionId: number, ids: readonly number[]) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  const found = await lockLocations(db, requisitionId, ids)
  if (found.length !== ids.length) throw notFound('Specimen location')
  const lying = found.filter(({ is_lying }) => is_lying)
  if (lying.length === 0) return
  await emptySlots(
    db,
    lying.map(({ id }) => id),
    actor.userId,
  )
  const slots = await findSlots(
    db,
    lying.map(({ slot_id }) => slot_id),
  )
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    clientId: requisition.client_id,
    action: 'DISCARD',
    old: { slots: namesOf(slots), trackerIds: lying.map(({ slot_id }) => slot_id) },
  })
}

const namesOf = (slots: readonly Slot[]) => slots.map(({ name }) => name).join(', ')

const requireCodes = async ({ db }: WriteCall, input: LocationInput) => {
  const fields = Object.keys(locationCodes) as (keyof typeof locationCodes)[]
  const wrong = await unknownCodes(
    db,
    fields.map((field) => ({ field, type: locationCodes[field], code: input[field] })),
  )
  if (wrong.length === 0) return
  throw invalidFields(
    wrong.map(({ field }) => ({
      field,
      message: messages.invalid(locationLabels[field as keyof typeof locationCodes]),
    })),
  )
}

/** What an aliquot can have been taken from. */
const sources: Record<string, readonly string[]> = {
  SERUM: ['SERUM'],
  PLASMA: ['EDTAPLASMA', 'HEPPLASMA', 'CITPLASMA'],
  WB: ['EDTAWB'],
  DBS: ['DBS'],
  SWAB: ['NASALSWAB', 'NPSWAB'],
}

/** The tube that a sample comes from, as far as it can be told: the one that was named, or the only one that fits. */
const specimenOf = async ({ db }: WriteCall, requisitionId: number, input: LocationInput): Promise<number | null> => {
  const specimens = await specimenKinds(db, requisitionId)
  if (input.specimenId !== null) {
    if (specimens.some(({ id }) => id === input.specimenId)) return input.specimenId
    throw invalid('specimenId', messages.invalid(locationLabels.specimenId))
  }
  const types = sources[input.specLocTypeCode]
  const fitting = types ? specimens.filter(({ type_code }) => types.includes(type_code)) : specimens
  return fitting.length === 1 ? (fitting[0]?.id ?? null) : null
}
