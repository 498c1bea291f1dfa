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
import { counted } from '../../platform/db/undo.ts'
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
import { readPlaces, recordLocationUndo } from './undo.ts'

/** Places all samples of the call or none; names slots that have been taken meanwhile. */
export const placeSamples = async (call: WriteCall, requisitionId: number, input: LocationInput) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  await requireCodes(call, input)
  const slots = await findSlots(db, input.trackerIds)
  if (slots.length !== input.trackerIds.length) throw invalid('trackerIds', messages.invalid(locationLabels.trackerIds))
  if (slots.some(({ lab_id }) => lab_id !== requisition.lab_id)) throw invalid('trackerIds', locationMessages.otherLab)
  const specimens = (await findSpecimensByRequisition(db, [requisitionId])).get(requisitionId) ?? []
  if (input.specimenId !== null && !specimens.some(({ id }) => id === input.specimenId))
    throw invalid('specimenId', messages.invalid(locationLabels.specimenId))
  const specimenId = input.specimenId ?? specimenFor(specimens, input.specLocTypeCode)
  const samples = input.trackerIds.map((slotId, index) => ({ requisitionId, specimenId, slotId, aliquot: index + 1 }))
  const ids = await takeAll(call, input, samples, new Map(slots.map(({ id, name }) => [id, name])))
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
  return {
    ids,
    undoId: await recordLocationUndo(call, `Place ${counted(ids.length, 'sample')} of #${requisitionId}`, ids),
  }
}

/** Returns the ids of the new rows in the order of the samples. */
const takeAll = async (
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

/** Places samples of many requisitions in one box, all or none; names each that cannot be placed there, with the reason. */
export const fillBox = async (call: WriteCall, address: BoxAddress, input: FillInput) => {
  const { db, actor, requestId } = call
  await requireCodes(call, input)
  const slots = await findSlotsOfBox(db, address)
  if (slots.size === 0) throw notFound('Box')
  const reqIds = [...new Set(input.samples.map(({ reqId }) => reqId))]
  const heads = await lockRequisitions(db, actor, reqIds)
  await requirePlaceable(call, address.labId, input, slots)
  const specimens = await findSpecimensByRequisition(db, reqIds)
  const counts = new Map<number, number>()
  const samples = input.samples.map(({ reqId, trackerId }): PlacedSample => {
    const aliquot = (counts.get(reqId) ?? 0) + 1
    counts.set(reqId, aliquot)
    const specimenId = specimenFor(specimens.get(reqId) ?? [], input.specLocTypeCode)
    return { requisitionId: reqId, specimenId, slotId: trackerId, aliquot }
  })
  const wanted = new Map(samples.map(({ slotId }) => [slotId, slots.get(slotId) as string]))
  const ids = await takeAll(call, input, samples, wanted)
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
  return {
    ids,
    undoId: await recordLocationUndo(call, `Place ${counted(ids.length, 'sample')} in box ${address.box}`, ids),
  }
}

/** Names every sample that cannot be placed in this box by its index. */
const requirePlaceable = async (
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

/** One answer per requisition number, in the given order. */
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

/** Frees the slots. Samples that are discarded already are left alone, so the call can be repeated. */
export const discardSamples = async (
  call: WriteCall,
  requisitionId: number,
  ids: readonly number[],
  action: 'DISCARD' | 'PULL' = 'DISCARD',
) => {
  const { db, actor, requestId } = call
  const requisition = await lockRequisition(db, actor, requisitionId)
  const found = await lockLocations(db, requisitionId, ids)
  if (found.length !== ids.length) throw notFound('Specimen location')
  const placed = found.filter(({ is_placed }) => is_placed)
  if (placed.length === 0) return undefined
  const placedIds = placed.map(({ id }) => id)
  const before = await readPlaces(db, placedIds)
  await discardPlacements(db, placedIds, actor.userId)
  const slots = await findSlots(
    db,
    placed.map(({ slot_id }) => slot_id),
  )
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    clientId: requisition.client_id,
    action,
    old: { slots: namesOf(slots), trackerIds: placed.map(({ slot_id }) => slot_id) },
  })
  const description = `${action === 'PULL' ? 'Pull' : 'Discard'} ${counted(placed.length, 'sample')} of #${requisitionId}`
  return recordLocationUndo(call, description, placedIds, before)
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

/** The specimen types that each type of aliquot can be taken from. */
const sources: Record<string, readonly string[]> = {
  SERUM: ['SERUM'],
  PLASMA: ['EDTAPLASMA', 'HEPPLASMA', 'CITPLASMA'],
  WB: ['EDTAWB'],
  DBS: ['DBS'],
  SWAB: ['NASALSWAB', 'NPSWAB'],
}

/** The specimen that a sample was taken from, if only one is possible. */
const specimenFor = (specimens: readonly StoredSpecimen[], specLocTypeCode: string): number | null => {
  const types = sources[specLocTypeCode]
  const possible = types ? specimens.filter(({ type_code }) => types.includes(type_code)) : specimens
  return possible.length === 1 ? (possible[0]?.id ?? null) : null
}
