import { withSingleSpaces } from '@lis/contract/patients.ts'
import {
  type BoxAddress,
  type FreezerBox,
  locationMessages,
  type ScannedSample,
  slotName,
} from '@lis/contract/spec-locations.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import {
  type Condition,
  contains,
  isOneOf,
  isOneOfIds,
  type ListDefinition,
  requireDateRange,
  type Sql,
} from '../../platform/lists.ts'
import { zoneAbbreviation } from '../../platform/zones.ts'
import { visibleRequisition } from '../requisition-record/queries.ts'
import { described } from '../specimens/queries.ts'

const wayToSlot = sql`freezer_slot s join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id`
const place = {
  sampleStorageCode: sql`f.code`,
  sampleStorageDesc: sql`f.description`,
  shelf: sql`b.shelf`,
  rack: sql`b.rack`,
  box: sql`b.box`,
  rowLetter: sql`s.row_letter`,
  slot: sql`s.slot`,
}

/** 'Shelf 2' before 'Shelf 10'. */
const natural = (name: Sql) =>
  sql`regexp_replace(${name}, '\\d.*$', ''), coalesce(substring(${name} from '\\d{1,9}')::int, 0), ${name}`
const byPlace = sql`f.code, ${natural(sql`b.shelf`)}, ${natural(sql`b.rack`)}, ${natural(sql`b.box`)}, s.row_letter, s.slot`
const isLying = sql`l.discarded_at is null`

// ── of one requisition ──────────────────────────────────────────────────────────────────────────────────────────────

const status = sql`case when l.discarded_at is null then 'Placed' else 'Discard' end`

/** Where the samples of one requisition lie or lay; who asks must have been let in by `requireRequisition`. */
export const locationList = (requisitionId: number): ListDefinition => ({
  from: sql`specimen_location l join ${wayToSlot} on s.id = l.slot_id join lab on lab.id = f.lab_id
    left join app_user placer on placer.id = l.placed_by left join app_user discarder on discarder.id = l.discarded_by`,
  where: [sql`l.requisition_id = ${requisitionId}`],
  fields: {
    id: sql`l.id`,
    status,
    specLocTypeCode: sql`l.spec_loc_type_code`,
    specLocTypeDesc: described('SPECLOCTYPE', sql`l.spec_loc_type_code`),
    sampleSizeCode: sql`l.sample_size_code`,
    sampleSizeDesc: described('SAMPLESIZE', sql`l.sample_size_code`),
    aliquot: sql`l.aliquot`,
    ...place,
    placedDate: sql`l.placed_at`,
    placedByUsername: sql`placer.user_name`,
    discardDate: sql`l.discarded_at`,
    discardByUsername: sql`discarder.user_name`,
    trackerIds: sql`array[l.slot_id]`,
    specimenId: sql`l.specimen_id`,
    labTz: sql`lab.zone`,
  },
  filter: { id: isOneOfIds(sql`l.id`, 'id'), status: isOneOf(status) },
  defaultOrder: sql`l.placed_at`,
  key: sql`l.id`,
})

export interface Slot {
  id: number
  name: string
  lab_id: number
}

/** Every slot of a box; none where there is no such box. */
export const slotsOfBox = async (
  db: Db,
  { labId, freezer, shelf, rack, box }: BoxAddress,
): Promise<Map<number, string>> => {
  const { rows } = await sql<{ id: number; row_letter: string; slot: number }>`
    select s.id, s.row_letter, s.slot from ${wayToSlot} where f.lab_id = ${labId} and f.code = ${freezer} and f.deleted_at is null
      and b.shelf = ${shelf} and b.rack = ${rack} and b.box = ${box}`.execute(db)
  return new Map(rows.map(({ id, row_letter: rowLetter, slot }) => [id, slotName({ rowLetter, slot })]))
}

/** The slots that were asked for, by their names. */
export const findSlots = async (db: Db, ids: readonly number[]): Promise<Slot[]> => {
  const { rows } = await sql<{ id: number; row_letter: string; slot: number; lab_id: number }>`
    select s.id, s.row_letter, s.slot, f.lab_id from ${wayToSlot} where s.id = any(${[...ids]}::bigint[]) and f.deleted_at is null
    order by s.row_letter, s.slot`.execute(db)
  return rows.map(({ id, row_letter: rowLetter, slot, lab_id }) => ({
    id,
    name: slotName({ rowLetter, slot }),
    lab_id,
  }))
}

export interface PlacedSample {
  requisitionId: number
  specimenId: number | null
  /** Which of those that are placed together for its requisition. */
  aliquot: number
  slotId: number
}

export interface Placement {
  typeCode: string
  sizeCode: string
  userId: number
  samples: readonly PlacedSample[]
}

/**
 * Takes every slot that is still free, in one statement. The unique index decides: of two people who want the same slot the second
 * waits until the first is done, and then finds it taken. Always in the order of the slots, so that they never block each other.
 */
export const takeSlots = async (
  trx: Trx,
  { typeCode, sizeCode, userId, samples }: Placement,
): Promise<{ id: number; slot_id: number }[]> => {
  const all = <K extends keyof PlacedSample>(key: K) => samples.map((sample) => sample[key])
  const { rows } = await sql<{ id: number; slot_id: number }>`
    insert into specimen_location (requisition_id, specimen_id, slot_id, spec_loc_type_code, sample_size_code, aliquot, placed_by)
    select requisition_id, specimen_id, slot_id, ${typeCode}, ${sizeCode}, aliquot, ${userId}
    from unnest(${all('requisitionId')}::int[], ${all('specimenId')}::int[], ${all('slotId')}::int[], ${all('aliquot')}::int[])
      as chosen (requisition_id, specimen_id, slot_id, aliquot) order by slot_id
    on conflict (slot_id) where discarded_at is null do nothing returning id, slot_id`.execute(trx)
  return rows
}

interface Discarded {
  id: number
  slot_id: number
  is_lying: boolean
}

/** The rows to be discarded, held until it is done; rows of other requisitions are not among them. */
export const lockLocations = async (trx: Trx, requisitionId: number, ids: readonly number[]): Promise<Discarded[]> => {
  const { rows } = await sql<Discarded>`
    select l.id, l.slot_id, ${isLying} as is_lying from specimen_location l
    where l.requisition_id = ${requisitionId} and l.id = any(${[...ids]}::bigint[]) order by l.id for update`.execute(
    trx,
  )
  return rows
}

export const emptySlots = async (trx: Trx, ids: readonly number[], userId: number) => {
  await sql`update specimen_location set discarded_at = now(), discarded_by = ${userId}, version = version + 1
    where id = any(${[...ids]}::bigint[])`.execute(trx)
}

// ── of a laboratory ─────────────────────────────────────────────────────────────────────────────────────────────────

const isFree = sql`not exists (select from specimen_location l where l.slot_id = s.id and ${isLying})`

export const emptyStorageList = (labId: number): ListDefinition => ({
  from: wayToSlot,
  where: [sql`f.lab_id = ${labId}`, sql`f.deleted_at is null`, isFree],
  fields: { trackerId: sql`s.id`, ...place },
  filter: {
    sampleStorageCode: isOneOf(sql`f.code`),
    shelf: isOneOf(sql`b.shelf`),
    rack: isOneOf(sql`b.rack`),
    box: isOneOf(sql`b.box`),
  },
  defaultOrder: byPlace,
  key: sql`s.id`,
})

type Way = Partial<BoxAddress> & Pick<BoxAddress, 'labId'>

const steps = {
  freezer: {
    code: sql`f.code`,
    description: sql`f.description`,
    names: { sampleStorageCode: sql`x.code`, sampleStorageDesc: sql`x.description` },
  },
  shelf: { code: sql`b.shelf`, description: sql`b.shelf`, names: { shelf: sql`x.code` } },
  rack: { code: sql`b.rack`, description: sql`b.rack`, names: { rack: sql`x.code` } },
  box: { code: sql`b.box`, description: sql`b.box`, names: { box: sql`x.code` } },
}

/** One step on the way to a box: what there is behind the steps before, full or not, and how much of it is free. */
export const roomList = (step: keyof typeof steps, way: Way): ListDefinition => {
  const { code, description, names } = steps[step]
  const conditions = [
    sql`f.lab_id = ${way.labId}`,
    sql`f.deleted_at is null`,
    ...(way.freezer === undefined ? [] : [sql`f.code = ${way.freezer}`]),
    ...(way.shelf === undefined ? [] : [sql`b.shelf = ${way.shelf}`]),
    ...(way.rack === undefined ? [] : [sql`b.rack = ${way.rack}`]),
  ]
  return {
    from: sql`(select ${code} as code, ${description} as description, count(s.id) as slot_count, count(s.id) filter (where l.id is null) as free_count
      from freezer f left join freezer_box b on b.freezer_id = f.id left join freezer_slot s on s.box_id = b.id
        left join specimen_location l on l.slot_id = s.id and ${isLying}
      where ${sql.join(conditions, sql` and `)} group by 1, 2 having ${code} is not null) x`,
    where: [],
    fields: {
      ...names,
      code: sql`x.code`,
      description: sql`x.description`,
      freeCount: sql`x.free_count`,
      slotCount: sql`x.slot_count`,
    },
    filter: { code: isOneOf(sql`x.code`) },
    defaultOrder: natural(sql`x.code`),
    key: sql`x.code`,
  }
}

/** The picture of one box; undefined where there is none. */
export const findBox = async (
  db: Db,
  { labId, freezer, shelf, rack, box }: BoxAddress,
): Promise<FreezerBox | undefined> => {
  const { rows } = await sql<{ row: FreezerBox }>`select row_to_json(x) as row from (
    select b.row_count as "rowCount", b.column_count as "columnCount", lab.zone as "labTz",
      (select coalesce(json_agg(json_build_object('trackerId', s.id, 'rowLetter', s.row_letter, 'slot', s.slot, 'reqId', l.requisition_id)
        order by s.row_letter, s.slot), '[]') from freezer_slot s left join specimen_location l on l.slot_id = s.id and ${isLying} where s.box_id = b.id) as slots,
      latest.placed_at as "lastPlacedDate", latest.user_name as "lastPlacedByUsername"
    from freezer_box b join freezer f on f.id = b.freezer_id join lab on lab.id = f.lab_id
      left join lateral (select l.placed_at, u.user_name from specimen_location l join freezer_slot s on s.id = l.slot_id
        left join app_user u on u.id = l.placed_by where s.box_id = b.id order by l.placed_at desc limit 1) latest on true
    where f.lab_id = ${labId} and f.code = ${freezer} and f.deleted_at is null and b.shelf = ${shelf} and b.rack = ${rack} and b.box = ${box}) x`.execute(
    db,
  )
  return rows[0]?.row
}

/** Whose scanned samples are; numbers that this person may not see are not among them. */
export const findSamples = async (
  db: Db,
  actor: Actor,
  labId: number,
  ids: readonly number[],
): Promise<ScannedSample[]> => {
  const { rows } = await sql<Omit<ScannedSample, 'reason'> & { lab_id: number; lab_name: string }>`
    select r.id as "reqId", p.last_name || ', ' || p.first_name as "patientName", p.dob as "patientDob", r.lab_id, lab.name as lab_name,
      (select count(*)::int from specimen_location l where l.requisition_id = r.id and ${isLying}) as "placedCount"
    from requisition r join requisition_patient p on p.requisition_id = r.id join lab on lab.id = r.lab_id
    where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null and ${visibleRequisition(actor, sql`r.id`)}`.execute(
    db,
  )
  return rows.map(({ lab_id, lab_name, ...row }) => ({
    ...row,
    reason: lab_id === labId ? null : locationMessages.sampleOfOtherLab(row.reqId, lab_name),
  }))
}

// ── from a slot to its requisition ──────────────────────────────────────────────────────────────────────────────────

/** Days in the zone the time was meant in. */
const dayRange =
  (field: string, instant: Sql, zone: Sql): Condition =>
  (value) => {
    const { from, to } = requireDateRange(field, value)
    return sql`(${instant} at time zone ${zone})::date between ${from}::date and ${to}::date`
  }

/** The whole name, whatever its case: shelf 1 is not shelf 10. */
const isCalled =
  (name: Sql): Condition =>
  (value) =>
    sql`lower(${name}) = lower(${String(value).trim()})`

const sortOfSlot = sql`(s.row_letter || lpad(s.slot::text, 3, '0'))`

/** Every sample that lies somewhere, and whose it is. */
export const freezerSpecList: ListDefinition = {
  from: sql`specimen_location l join ${wayToSlot} on s.id = l.slot_id join requisition_list q on q.requisition_id = l.requisition_id
    join lab on lab.id = f.lab_id join client c on c.id = q.client_id join physician ph on ph.id = q.physician_id join requisition r on r.id = l.requisition_id
    join requisition_patient p on p.requisition_id = r.id`,
  where: [isLying, sql`r.deleted_at is null`],
  fields: {
    id: sql`l.id`,
    labName: sql`lab.name`,
    ...place,
    reqId: sql`l.requisition_id`,
    clientId: sql`q.client_id`,
    clientName: sql`c.name`,
    physId: sql`q.physician_id`,
    physName: sql`ph.last_name || ', ' || ph.first_name`,
    patientFirstName: sql`p.first_name`,
    patientLastName: sql`p.last_name`,
    dateCollected: sql`r.collected_at`,
    collectedTz: sql`r.collected_zone`,
    dateReceived: sql`q.received_at`,
    labTz: sql`lab.zone`,
  },
  sort: {
    slot: sortOfSlot,
    clientName: sql`sort_key(c.name)`,
    physName: sql`sort_key(ph.last_name || ', ' || ph.first_name)`,
    patientLastName: sql`p.name_key`,
  },
  filter: {
    sampleStorageCode: (value) =>
      sql`lower(f.code) = lower(${String(value)}) or ${contains(sql`(f.description || ' ' || lab.name)`)(value)}`,
    shelf: isCalled(sql`b.shelf`),
    rack: isCalled(sql`b.rack`),
    box: isCalled(sql`b.box`),
    reqId: isOneOfIds(sql`l.requisition_id`, 'reqId'),
    clientId: isOneOfIds(sql`q.client_id`, 'clientId'),
    physId: isOneOfIds(sql`q.physician_id`, 'physId'),
    patientName: (value) =>
      contains(sql`(p.last_name || ', ' || p.first_name || ' ' || p.last_name)`)([value].flat().map(withSingleSpaces)),
    dateCollected: dayRange('dateCollected', sql`r.collected_at`, sql`r.collected_zone`),
    dateReceived: dayRange('dateReceived', sql`q.received_at`, sql`lab.zone`),
  },
  defaultOrder: sql`lab.id, ${byPlace}`,
  key: sql`l.id`,
  finish: (row) => ({
    ...row,
    collectedTzAbbr: abbreviation(row.dateCollected, row.collectedTz),
    labTzAbbr: abbreviation(row.dateReceived ?? row.dateCollected, row.labTz),
  }),
}

const abbreviation = (at: unknown, zone: unknown) => zoneAbbreviation(String(at), String(zone))
