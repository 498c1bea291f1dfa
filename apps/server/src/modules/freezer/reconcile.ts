import {
  type BoxAddress,
  locationMessages,
  type ReconcileInput,
  type ReconcileOutcome,
  slotName,
} from '@lis/contract/spec-locations.ts'
import { parseSampleCode } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { counted } from '../../platform/db/undo.ts'
import { conflict, invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisitions } from '../requisition-record/queries.ts'
import { identifySamples } from './service.ts'
import { readPlaces, recordLocationUndo } from './undo.ts'

/** A sample that is stored somewhere in the laboratory. */
interface Stored {
  id: number
  reqId: number
  slotId: number
  isHere: boolean
  /** 'F1 / 1 / A / 3 / B4' */
  place: string
}

interface Scanned {
  code: string
  index: number
  /** A sample identified by its own label. */
  locationId: number | null
  reqId: number | null
  trackerId: number | null
}

/** Compares the scans with the record of the box, and corrects the record in one transaction unless it is a dry run. */
export const reconcileBox = async (
  call: WriteCall,
  address: BoxAddress,
  { codes, dryRun, boxVersion: expected }: ReconcileInput,
): Promise<ReconcileOutcome & { undoId?: number }> => {
  const { db } = call
  const slots = await lockBox(db, address)
  const current = await boxVersionOf(db, [...slots.keys()])
  if (typeof expected === 'number' && expected !== current)
    throw conflict('The box has been changed meanwhile. Please scan it again.', { boxVersion: current })
  const scanned = parseCodes(codes, slots)
  const stored = await findStored(db, slots, scanned)
  const plan = compare(scanned, stored, slots)
  await requireSamplesOfLab(call, address.labId, plan.extra)
  const outcome = { boxVersion: current, ...plan.shown }
  if (dryRun) return outcome
  const undoId = await putRight(call, address, plan, stored, slots)
  return { ...outcome, boxVersion: await boxVersionOf(db, [...slots.keys()]), ...(undoId !== undefined && { undoId }) }
}

/** Locks the box, so that two people who reconcile it wait for each other; gives its slots with their names. */
const lockBox = async (trx: Trx, { labId, freezer, shelf, rack, box }: BoxAddress): Promise<Map<number, string>> => {
  const { rows } = await sql<{ id: number }>`
    select b.id from freezer_box b join freezer f on f.id = b.freezer_id
    where f.lab_id = ${labId} and f.code = ${freezer} and f.deleted_at is null and b.shelf = ${shelf} and b.rack = ${rack} and b.box = ${box}
    for update of b`.execute(trx)
  const [found] = rows
  if (!found) throw notFound('Box')
  const slots = await trx
    .selectFrom('freezer_slot')
    .select(['id', 'row_letter', 'slot'])
    .where('box_id', '=', found.id)
    .orderBy('row_letter')
    .orderBy('slot')
    .execute()
  return new Map(slots.map(({ id, row_letter: rowLetter, slot }) => [id, slotName({ rowLetter, slot })]))
}

/** Changes whenever a sample is placed, moved or discarded in these slots. */
const boxVersionOf = async (trx: Trx, slotIds: readonly number[]): Promise<number> => {
  const { rows } = await sql<{ version: number }>`
    select hashtext(coalesce(string_agg(concat_ws(':', id, slot_id, version), ',' order by id), '')) & 2147483647 as version
    from specimen_location where slot_id = any(${[...slotIds]}::int[]) and discarded_at is null`.execute(trx)
  return rows[0]?.version ?? 0
}

const parseCodes = (codes: ReconcileInput['codes'], slots: ReadonlyMap<number, string>): Scanned[] => {
  const faults: { field: string; message: string }[] = []
  const bySlot = new Map<number, string>()
  const seen = new Set<string>()
  const scanned = codes.flatMap(({ code, trackerId = null }, index): Scanned[] => {
    const text = code.trim().toUpperCase()
    if (seen.has(text)) return []
    seen.add(text)
    const field = `codes.${index}`
    const named = parseSampleCode(text)
    if (!named) faults.push({ field, message: `${code} is not the code of a sample` })
    if (trackerId !== null && !slots.has(trackerId))
      faults.push({ field, message: `${code}: the slot is not in this box` })
    if (trackerId !== null && bySlot.has(trackerId))
      faults.push({ field, message: `${code} and ${bySlot.get(trackerId)} were scanned in the same slot` })
    if (trackerId !== null) bySlot.set(trackerId, code)
    return [{ code, index, locationId: null, reqId: null, ...named, trackerId }]
  })
  if (faults.length > 0) throw invalidFields(faults)
  return scanned
}

/** Every stored sample of this box, and those elsewhere that were scanned. */
const findStored = async (trx: Trx, slots: ReadonlyMap<number, string>, scanned: readonly Scanned[]) => {
  const here = [...slots.keys()]
  const { rows } = await sql<Stored>`
    select l.id, l.requisition_id as "reqId", l.slot_id as "slotId", l.slot_id = any(${here}::int[]) as "isHere",
      concat_ws(' / ', f.code, b.shelf, b.rack, b.box, s.row_letter || s.slot) as place
    from specimen_location l join freezer_slot s on s.id = l.slot_id join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id
    where l.discarded_at is null and (l.slot_id = any(${here}::int[])
      or l.id = any(${scanned.flatMap(({ locationId }) => locationId ?? [])}::bigint[])
      or l.requisition_id = any(${scanned.flatMap(({ reqId }) => reqId ?? [])}::bigint[]))
    order by l.id for update of l`.execute(trx)
  const wanted = scanned.flatMap(({ locationId }) => locationId ?? [])
  const known = new Map(rows.map((row) => [row.id, row.reqId]))
  const missing = wanted.filter((id) => !known.has(id))
  const { rows: discarded } = await sql<{ id: number; reqId: number }>`
    select id, requisition_id as "reqId" from specimen_location where id = any(${missing}::bigint[]) order by id for update`.execute(
    trx,
  )
  for (const { id, reqId } of discarded) known.set(id, reqId)
  const unknown = scanned.filter(({ locationId }) => locationId !== null && !known.has(locationId))
  if (unknown.length > 0)
    throw invalidFields(
      unknown.map(({ index, code }) => ({ field: `codes.${index}`, message: `${code} is not known` })),
    )
  return { rows, reqOf: known }
}

type StoredSamples = Awaited<ReturnType<typeof findStored>>

interface Plan {
  missing: Stored[]
  misplaced: { stored: Stored; trackerId: number }[]
  /** `stored` is where it is recorded, `takenOutId` a sample that was taken out of its slot before and is found again by its own label. */
  extra: { scanned: Scanned; reqId: number; stored: Stored | null; takenOutId: number | null }[]
  shown: Omit<ReconcileOutcome, 'boxVersion'>
}

const compare = (
  scanned: readonly Scanned[],
  { rows, reqOf }: StoredSamples,
  slots: ReadonlyMap<number, string>,
): Plan => {
  const plan: Plan = {
    missing: [],
    misplaced: [],
    extra: [],
    shown: { matched: [], missing: [], extra: [], misplaced: [] },
  }
  const samplesOf = matchSamples(scanned, rows, reqOf)
  for (const one of scanned) {
    const found = samplesOf.get(one)
    if (!found) continue
    const [first = null] = found
    const { code, trackerId } = one
    const reqId = requisitionOf(one, reqOf)
    if (!first?.isHere) {
      plan.extra.push({ scanned: one, reqId, stored: first, takenOutId: first ? null : one.locationId })
      plan.shown.extra.push({ code, reqId, trackerId, recordedAt: first?.place ?? null })
    } else if (trackerId !== null && first.slotId !== trackerId) {
      plan.misplaced.push({ stored: first, trackerId })
      plan.shown.misplaced.push({ code, reqId, trackerId, recordedAt: first.place })
    } else {
      for (const { slotId, place } of found)
        plan.shown.matched.push({ code, reqId, trackerId: slotId, recordedAt: place })
    }
  }
  const present = new Set([...samplesOf.values()].flat())
  for (const row of rows) {
    if (!row.isHere || present.has(row)) continue
    plan.missing.push(row)
    plan.shown.missing.push({ code: `S-${row.id}`, reqId: row.reqId, trackerId: row.slotId, recordedAt: row.place })
  }
  plan.shown.missing.sort((a, b) =>
    String(slots.get(a.trackerId as number)).localeCompare(String(slots.get(b.trackerId as number))),
  )
  return plan
}

/**
 * The samples of each code: none if it is recorded nowhere. A code that repeats another one
 * is left out. Without a slot the label of a requisition stands for all of its samples in the box.
 */
const matchSamples = (
  scanned: readonly Scanned[],
  rows: readonly Stored[],
  reqOf: ReadonlyMap<number, number>,
): Map<Scanned, Stored[]> => {
  const left = new Set(rows)
  const samplesOf = new Map<Scanned, Stored[]>()
  // Codes of a single sample first, labels that may mean several last.
  const ordered = [...scanned].sort((a, b) => matchOrder(a, rows) - matchOrder(b, rows))
  for (const one of ordered) {
    const own = [...left].filter((row) => isSampleOf(one, row))
    const here = own.filter(({ isHere }) => isHere)
    if (here.length === 0 && [...samplesOf.keys()].some((other) => isSameSample(one, other, reqOf))) continue
    const nearest = here.find(({ slotId }) => slotId === one.trackerId) ?? here[0] ?? own[0]
    const found = one.trackerId === null && here.length > 0 ? here : nearest ? [nearest] : []
    for (const row of found) left.delete(row)
    samplesOf.set(one, found)
  }
  return samplesOf
}

const matchOrder = (one: Scanned, rows: readonly Stored[]) =>
  one.locationId !== null ? 0 : one.trackerId === null ? 3 : isInPlace(one, rows) ? 1 : 2

/** Two codes in different slots are two samples; a label only identifies the requisition. */
const isSameSample = (one: Scanned, other: Scanned, reqOf: ReadonlyMap<number, number>) =>
  one.locationId !== null
    ? one.locationId === other.locationId
    : requisitionOf(one, reqOf) === requisitionOf(other, reqOf) && (one.trackerId === null || other.trackerId === null)

const requisitionOf = ({ reqId, locationId }: Scanned, reqOf: ReadonlyMap<number, number>) =>
  reqId ?? (reqOf.get(locationId as number) as number)
const isSampleOf = ({ locationId, reqId }: Scanned, row: Stored) =>
  locationId === null ? row.reqId === reqId : row.id === locationId
const isInPlace = (one: Scanned, rows: readonly Stored[]) =>
  rows.some((row) => row.isHere && row.slotId === one.trackerId && isSampleOf(one, row))

/** A sample can be stored only in the laboratory of its requisition. */
const requireSamplesOfLab = async ({ db, actor }: WriteCall, labId: number, extra: Plan['extra']) => {
  const found = new Map(
    (
      await identifySamples(
        db,
        actor,
        labId,
        extra.map(({ reqId }) => reqId),
      )
    ).map((sample) => [sample.reqId, sample.reason]),
  )
  const faults = extra.flatMap(({ reqId, scanned }) => {
    const reason = found.get(reqId)
    return reason ? [{ field: `codes.${scanned.index}`, message: reason }] : []
  })
  if (faults.length > 0) throw invalidFields(faults)
}

const putRight = async (
  call: WriteCall,
  { box }: BoxAddress,
  { missing, misplaced, extra }: Plan,
  { rows }: StoredSamples,
  slots: ReadonlyMap<number, string>,
): Promise<number | undefined> => {
  const { db, actor, requestId } = call
  const changed = [...missing, ...misplaced.map(({ stored }) => stored), ...extra.flatMap(({ stored }) => stored ?? [])]
  if (changed.length === 0 && extra.length === 0) return undefined
  const heads = await lockRequisitions(db, actor, [
    ...new Set([...changed.map(({ reqId }) => reqId), ...extra.map(({ reqId }) => reqId)]),
  ])
  const ids = [...changed.map(({ id }) => id), ...extra.flatMap(({ takenOutId }) => takenOutId ?? [])]
  const before = await readPlaces(db, ids)
  const staying = new Set(rows.filter((row) => row.isHere && !changed.includes(row)).map(({ slotId }) => slotId))
  const targets = new Set(
    [...misplaced, ...extra.map(({ scanned }) => scanned)].flatMap(({ trackerId }) => trackerId ?? []),
  )
  const taken = [...targets].filter((slotId) => staying.has(slotId)).map((slotId) => slots.get(slotId) as string)
  if (taken.length > 0) throw conflict(locationMessages.taken(taken))
  const free = [...slots.keys()].filter((slotId) => !staying.has(slotId) && !targets.has(slotId))
  const slotFor = (trackerId: number | null) => {
    const slotId = trackerId ?? free.shift()
    if (slotId === undefined) throw conflict(locationMessages.boxFull)
    return slotId
  }
  await db
    .updateTable('specimen_location')
    .set((eb) => ({ discarded_at: sql<string>`now()`, discarded_by: actor.userId, version: eb('version', '+', 1) }))
    .where('id', 'in', ids.length > 0 ? ids : [0])
    .execute()
  const moves = [
    ...misplaced.map(({ stored, trackerId }) => ({ id: stored.id, reqId: stored.reqId, slotId: trackerId })),
    ...extra.flatMap(({ stored, takenOutId, reqId, scanned }) => {
      const id = stored?.id ?? takenOutId
      return id === null ? [] : [{ id, reqId, slotId: slotFor(scanned.trackerId) }]
    }),
  ]
  await sql`update specimen_location l set slot_id = m."slotId", discarded_at = null, discarded_by = null
    from json_to_recordset(${JSON.stringify(moves)}::json) as m(id bigint, "slotId" int) where l.id = m.id`.execute(db)
  const fresh = extra
    .filter(({ stored, takenOutId }) => stored === null && takenOutId === null)
    .map(({ reqId, scanned }) => ({ reqId, slotId: slotFor(scanned.trackerId) }))
  // Its type is that of the last sample of the requisition, or the most frequent one in the box.
  const { rows: added } = await sql<{ id: number }>`
    insert into specimen_location (requisition_id, slot_id, spec_loc_type_code, sample_size_code, placed_by)
    select n."reqId", n."slotId", coalesce(own.spec_loc_type_code, usual.spec_loc_type_code, 'SERUM'), coalesce(own.sample_size_code, usual.sample_size_code), ${actor.userId}
    from json_to_recordset(${JSON.stringify(fresh)}::json) as n("reqId" bigint, "slotId" int)
    left join lateral (select spec_loc_type_code, sample_size_code from specimen_location l where l.requisition_id = n."reqId" order by l.id desc limit 1) own on true
    left join (select spec_loc_type_code, sample_size_code from specimen_location l where l.slot_id = any(${[...slots.keys()]}::int[])
      group by 1, 2 order by count(*) desc limit 1) usual on true
    returning id`.execute(db)
  const notes = new Map<number, { old: string[]; new: string[] }>()
  const note = (reqId: number) => {
    const found = notes.get(reqId) ?? { old: [], new: [] }
    notes.set(reqId, found)
    return found
  }
  for (const { reqId, place } of changed) note(reqId).old.push(place)
  for (const { reqId, slotId } of [...moves, ...fresh]) note(reqId).new.push(`${box} ${slots.get(slotId)}`)
  await recordAudit(
    db,
    actor,
    requestId,
    [...notes].map(([reqId, { old, new: now }]) => ({
      entity: 'requisition',
      entityId: reqId,
      requisitionId: reqId,
      clientId: heads.get(reqId)?.client_id as number,
      action: 'RECONCILE',
      old: { slots: old.join(', ') },
      new: { slots: now.join(', ') },
    })),
  )
  const all = [...ids, ...added.map(({ id }) => id)]
  return recordLocationUndo(call, `Reconcile box ${box}: ${counted(all.length, 'sample')}`, all, before)
}
