import { messages } from '@lis/contract/messages.ts'
import {
  type BoxAddress,
  type FillInput,
  type LocationInput,
  locationCodes,
  locationLabels,
  locationMessages,
  type ScannedSample,
} from '@lis/contract/spec-locations.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, invalid, invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { unknownCodes } from '../lookups/queries.ts'
import { lockRequisition, lockRequisitions } from '../requisition-record/queries.ts'
import { findSpecimensByRequisition, type StoredSpecimen } from '../specimens/queries.ts'
import {
  discardPlacements,
  findSamples,
  findSlots,
  findSlotsOfBox,
  lockLocations,
  type PlacedSample,
  type Slot,
  takeSlots,
} from './queries.ts'

/** Places all samples of the call or none: a slot that somebody else took meanwhile is named. */
export const placeSamples = async (call: WriteCall, requisitionId: number, input: LocationInput) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  await requireCodes(call, input)
  const slots = await findSlots(db, input.trackerIds)
  if (slots.length !== input.trackerIds.length) throw invalid('trackerIds', messages.invalid(locationLabels.trackerIds))
  if (slots.some(({ lab_id }) => lab_id !== requisition.lab_id)) throw invalid('trackerIds', locationMessages.otherLab)
  const kinds = (await findSpecimensByRequisition(db, [requisitionId])).get(requisitionId) ?? []
  if (input.specimenId !== null && !kinds.some(({ id }) => id === input.specimenId))
    throw invalid('specimenId', messages.invalid(locationLabels.specimenId))
  const specimenId = input.specimenId ?? specimenFor(kinds, input.specLocTypeCode)
  const samples = input.trackerIds.map((slotId, index) => ({ requisitionId, specimenId, slotId, aliquot: index + 1 }))
  const ids = await take(call, input, samples, new Map(slots.map(({ id, name }) => [id, name])))
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
  return { ids }
}

/** Takes the slots in one statement and gives the new rows in the order of the samples; what is taken meanwhile is named. */
const take = async (
  { db, actor }: WriteCall,
  { specLocTypeCode, sampleSizeCode }: Pick<LocationInput, keyof typeof locationCodes>,
  samples: readonly PlacedSample[],
  names: ReadonlyMap<number, string>,
): Promise<number[]> => {
  const placement = { typeCode: specLocTypeCode, sizeCode: sampleSizeCode, userId: actor.userId, samples }
  const own = new Map((await takeSlots(db, placement)).map(({ id, slot_id }) => [slot_id, id]))
  const taken = [...names].filter(([slotId]) => !own.has(slotId)).map(([, name]) => name)
  if (taken.length > 0) throw conflict(locationMessages.taken(taken))
  return samples.map(({ slotId }) => own.get(slotId) as number)
}

/** Samples of many requisitions into one box, all or none; each that cannot lie there is named with its reason. */
export const fillBox = async (call: WriteCall, address: BoxAddress, input: FillInput) => {
  const { db, actor, requestId } = call
  await requireCodes(call, input)
  const slots = await findSlotsOfBox(db, address)
  if (slots.size === 0) throw notFound('Box')
  const reqIds = [...new Set(input.samples.map(({ reqId }) => reqId))]
  const heads = await lockRequisitions(db, actor, reqIds)
  await requireSamples(call, address.labId, input, slots)
  const kinds = await findSpecimensByRequisition(db, reqIds)
  const counts = new Map<number, number>()
  const samples = input.samples.map(({ reqId, trackerId }): PlacedSample => {
    const aliquot = (counts.get(reqId) ?? 0) + 1
    counts.set(reqId, aliquot)
    const specimenId = specimenFor(kinds.get(reqId) ?? [], input.specLocTypeCode)
    return { requisitionId: reqId, specimenId, slotId: trackerId, aliquot }
  })
  const wanted = new Map(samples.map(({ slotId }) => [slotId, slots.get(slotId) as string]))
  const ids = await take(call, input, samples, wanted)
  await recordAudit(
    db,
    actor,
    requestId,
    reqIds.map((reqId) => {
      const own = samples.filter(({ requisitionId }) => requisitionId === reqId)
      return {
        entity: 'requisition',
        entityId: reqId,
        requisitionId: reqId,
        clientId: heads.get(reqId)?.client_id as number,
        action: 'PLACE',
        new: {
          specLocTypeCode: input.specLocTypeCode,
          sampleSizeCode: input.sampleSizeCode,
          aliquot: own.length,
          specimenId: own[0]?.specimenId ?? null,
          slots: own.map(({ slotId }) => wanted.get(slotId)).join(', '),
          trackerIds: own.map(({ slotId }) => slotId),
        },
      }
    }),
  )
  return { ids }
}

/** Every sample that cannot lie in this box, by its place in the list. */
const requireSamples = async (
  { db, actor }: WriteCall,
  labId: number,
  { samples }: FillInput,
  slots: ReadonlyMap<number, string>,
) => {
  const found = new Map(
    (
      await identifySamples(
        db,
        actor,
        labId,
        samples.map(({ reqId }) => reqId),
      )
    ).map((one) => [one.reqId, one]),
  )
  const faults = samples.flatMap(({ reqId, trackerId }, index) => {
    const reason = found.get(reqId)?.reason ?? (slots.has(trackerId) ? null : messages.invalid(locationLabels.slot))
    return reason === null ? [] : [{ field: `samples.${index}`, message: reason }]
  })
  if (faults.length > 0) throw invalidFields(faults)
}

/** One answer for each number that was asked, in that order. */
export const identifySamples = async (
  db: Db,
  actor: Actor,
  labId: number,
  ids: readonly number[],
): Promise<ScannedSample[]> => {
  const found = new Map((await findSamples(db, actor, labId, ids)).map((sample) => [sample.reqId, sample]))
  return ids.map(
    (reqId) =>
      found.get(reqId) ?? {
        reqId,
        patientName: '',
        patientDob: null,
        placedCount: 0,
        reason: locationMessages.unknownSample(reqId),
      },
  )
}

/** The slots are free again. What was discarded before stays as it is, so that the call may be sent twice. */
export const discardSamples = async (call: WriteCall, requisitionId: number, ids: readonly number[]) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  const found = await lockLocations(db, requisitionId, ids)
  if (found.length !== ids.length) throw notFound('Specimen location')
  const lying = found.filter(({ is_lying }) => is_lying)
  if (lying.length === 0) return
  await discardPlacements(
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

const requireCodes = async ({ db }: WriteCall, input: Pick<LocationInput, keyof typeof locationCodes>) => {
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

/** The tube that a sample comes from, as far as it can be told: the only one that fits. */
const specimenFor = (specimens: readonly StoredSpecimen[], specLocTypeCode: string): number | null => {
  const types = sources[specLocTypeCode]
  const fitting = types ? specimens.filter(({ type_code }) => types.includes(type_code)) : specimens
  return fitting.length === 1 ? (fitting[0]?.id ?? null) : null
}
