import {
  type BoxAddress,
  type FreezerBox,
  locationMessages,
  type ScannedSample,
  slotName,
} from '@lis/contract/spec-locations.ts'
import { withSingleSpaces } from '@lis/contract/validation.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { requireDays } from '../../platform/date-filter.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { type Condition, contains, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { zoneAbbreviation } from '../../platform/zones.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { visibleRequisition } from '../requisition-record/queries.ts'

const slotInFreezer = sql`freezer_slot s join freezer_box b on b.id = s.box_id join freezer f on f.id = b.freezer_id`
const positionFields = {
  sampleStorageCode: sql`f.code`,
  sampleStorageDesc: sql`f.description`,
  shelf: sql`b.shelf`,
  rack: sql`b.rack`,
  box: sql`b.box`,
  rowLetter: sql`s.row_letter`,
  slot: sql`s.slot`,
}

/** 'Shelf 2' sorts before 'Shelf 10'. */
const natural = (name: Sql) =>
  sql`regexp_replace(${name}, '\\d.*$', ''), coalesce(substring(${name} from '\\d{1,9}')::int, 0), ${name}`
const byPosition = sql`f.code, ${natural(sql`b.shelf`)}, ${natural(sql`b.rack`)}, ${natural(sql`b.box`)}, s.row_letter, s.slot`
const isPlaced = sql<boolean>`l.discarded_at is null`

// ── one requisition ─────────────────────────────────────────────────────────────────────────────────────────────────

const status = sql`case when l.discarded_at is null then 'Placed' else 'Discard' end`

/** Where the samples of one requisition are or were stored. The caller must have checked access by `requireRequisition`. */
export const locationList = (requisitionId: number): ListDefinition => ({
  from: sql`specimen_location l join ${slotInFreezer} on s.id = l.slot_id join lab on lab.id = f.lab_id
    left join app_user placer on placer.id = l.placed_by left join app_user discarder on discarder.id = l.discarded_by`,
  where: [sql`l.requisition_id = ${requisitionId}`],
  fields: {
    id: sql`l.id`,
    status,
    specLocTypeCode: sql`l.spec_loc_type_code`,
    specLocTypeDesc: lookupDescriptionOrCode('SPECLOCTYPE', sql`l.spec_loc_type_code`),
    sampleSizeCode: sql`l.sample_size_code`,
    sampleSizeDesc: lookupDescriptionOrCode('SAMPLESIZE', sql`l.sample_size_code`),
    aliquot: sql`l.aliquot`,
    ...positionFields,
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

const selectSlots = (db: Db) =>
  db
    .selectFrom('freezer_slot as s')
    .innerJoin('freezer_box as b', 'b.id', 's.box_id')
    .innerJoin('freezer as f', 'f.id', 'b.freezer_id')
    .select(['s.id', 's.row_letter', 's.slot', 'f.lab_id'])
    .where('f.deleted_at', 'is', null)

/** The names of all slots of a box by their ids; empty if there is no such box. */
export const findSlotsOfBox = async (
  db: Db,
  { labId, freezer, shelf, rack, box }: BoxAddress,
): Promise<Map<number, string>> => {
  const rows = await selectSlots(db)
    .where('f.lab_id', '=', labId)
    .where('f.code', '=', freezer)
    .where('b.shelf', '=', shelf)
    .where('b.rack', '=', rack)
    .where('b.box', '=', box)
    .execute()
  return new Map(rows.map(({ id, row_letter: rowLetter, slot }) => [id, slotName({ rowLetter, slot })]))
}

export const findSlots = async (db: Db, ids: readonly number[]): Promise<Slot[]> => {
  const rows = await selectSlots(db).where('s.id', '=', anyId(ids)).orderBy('s.row_letter').orderBy('s.slot').execute()
  return rows.map(({ id, row_letter: rowLetter, slot, lab_id }) => ({
    id,
    name: slotName({ rowLetter, slot }),
    lab_id,
  }))
}

export interface PlacedSample {
  requisitionId: number
  specimenId: number | null
  /** Its number among those placed together for one requisition. */
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
 * Takes every slot that is still free, in one statement. The unique index decides: of two calls for the same slot the second waits for
 * the first and then finds it taken. Always in slot order, so that two calls never deadlock.
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

/** Leaves out rows of other requisitions. */
export const lockLocations = (trx: Trx, requisitionId: number, ids: readonly number[]) =>
  trx
    .selectFrom('specimen_location as l')
    .select(['l.id', 'l.slot_id', isPlaced.as('is_placed')])
    .where('l.requisition_id', '=', requisitionId)
    .where('l.id', '=', anyId(ids))
    .orderBy('l.id')
    .forUpdate()
    .execute()

export const discardPlacements = (trx: Trx, ids: readonly number[], userId: number) =>
  trx
    .updateTable('specimen_location')
    .set((eb) => ({ discarded_at: sql<string>`now()`, discarded_by: userId, version: eb('version', '+', 1) }))
    .where('id', '=', anyId(ids))
    .execute()

// ── one laboratory ────────────────────────────────────────────────────────────────────────────────────────────────────

const isFree = sql`not exists (select from specimen_location l where l.slot_id = s.id and ${isPlaced})`

export const emptyStorageList = (labId: number): ListDefinition => ({
  from: slotInFreezer,
  where: [sql`f.lab_id = ${labId}`, sql`f.deleted_at is null`, isFree],
  fields: { trackerId: sql`s.id`, ...positionFields },
  filter: {
    sampleStorageCode: isOneOf(sql`f.code`),
    shelf: isOneOf(sql`b.shelf`),
    rack: isOneOf(sql`b.rack`),
    box: isOneOf(sql`b.box`),
  },
  defaultOrder: byPosition,
  key: sql`s.id`,
})

type PartialAddress = Partial<BoxAddress> & Pick<BoxAddress, 'labId'>

const storageLevels = {
  freezer: {
    code: sql`f.code`,
    description: sql`f.description`,
    names: { sampleStorageCode: sql`x.code`, sampleStorageDesc: sql`x.description` },
  },
  shelf: { code: sql`b.shelf`, description: sql`b.shelf`, names: { shelf: sql`x.code` } },
  rack: { code: sql`b.rack`, description: sql`b.rack`, names: { rack: sql`x.code` } },
  box: { code: sql`b.box`, description: sql`b.box`, names: { box: sql`x.code` } },
}

/** The freezers, or the shelves, racks or boxes under an address, full ones too, each with its number of free slots. */
export const storageLevelList = (level: keyof typeof storageLevels, address: PartialAddress): ListDefinition => {
  const { code, description, names } = storageLevels[level]
  const conditions = [
    sql`f.lab_id = ${address.labId}`,
    sql`f.deleted_at is null`,
    ...(address.freezer === undefined ? [] : [sql`f.code = ${address.freezer}`]),
    ...(address.shelf === undefined ? [] : [sql`b.shelf = ${address.shelf}`]),
    ...(address.rack === undefined ? [] : [sql`b.rack = ${address.rack}`]),
  ]
  return {
    from: sql`(select ${code} as code, ${description} as description, count(s.id) as slot_count, count(s.id) filter (where l.id is null) as free_count
      from freezer f left join freezer_box b on b.freezer_id = f.id left join freezer_slot s on s.box_id = b.id
        left join specimen_location l on l.slot_id = s.id and ${isPlaced}
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

/** One box with its slots. */
export const findBox = async (
  db: Db,
  { labId, freezer, shelf, rack, box }: BoxAddress,
): Promise<FreezerBox | undefined> => {
  const { rows } = await sql<{ row: FreezerBox }>`select row_to_json(x) as row from (
    select b.row_count as "rowCount", b.column_count as "columnCount", lab.zone as "labTz",
      (select coalesce(json_agg(json_build_object('trackerId', s.id, 'rowLetter', s.row_letter, 'slot', s.slot, 'reqId', l.requisition_id)
        order by s.row_letter, s.slot), '[]') from freezer_slot s left join specimen_location l on l.slot_id = s.id and ${isPlaced} where s.box_id = b.id) as slots,
      latest.placed_at as "lastPlacedDate", latest.user_name as "lastPlacedByUsername"
    from freezer_box b join freezer f on f.id = b.freezer_id join lab on lab.id = f.lab_id
      left join lateral (select l.placed_at, u.user_name from specimen_location l join freezer_slot s on s.id = l.slot_id
        left join app_user u on u.id = l.placed_by where s.box_id = b.id order by l.placed_at desc limit 1) latest on true
    where f.lab_id = ${labId} and f.code = ${freezer} and f.deleted_at is null and b.shelf = ${shelf} and b.rack = ${rack} and b.box = ${box}) x`.execute(
    db,
  )
  return rows[0]?.row
}

/** The patients of scanned samples. Leaves out requisitions that this person may not see. */
export const findSamples = async (
  db: Db,
  actor: Actor,
  labId: number,
  ids: readonly number[],
): Promise<ScannedSample[]> => {
  const rows = await db
    .selectFrom('requisition as r')
    .innerJoin('requisition_patient as p', 'p.requisition_id', 'r.id')
    .innerJoin('lab', 'lab.id', 'r.lab_id')
    .select((eb) => [
      'r.id as reqId',
      sql<string>`${eb.ref('p.last_name')} || ', ' || ${eb.ref('p.first_name')}`.as('patientName'),
      'p.dob as patientDob',
      'r.lab_id',
      'lab.name as lab_name',
      eb
        .selectFrom('specimen_location as l')
        .select((one) => one.cast<number>(one.fn.countAll(), 'integer').as('count'))
        .whereRef('l.requisition_id', '=', 'r.id')
        .where(isPlaced)
        .$asScalar()
        .$notNull()
        .as('placedCount'),
    ])
    .where('r.id', '=', anyId(ids))
    .where('r.deleted_at', 'is', null)
    .where(visibleRequisition(actor, sql`r.id`))
    .execute()
  return rows.map(({ lab_id, lab_name, ...row }) => ({
    ...row,
    reason: lab_id === labId ? null : locationMessages.sampleOfOtherLab(row.reqId, lab_name),
  }))
}

// ── stored samples of all requisitions ──────────────────────────────────────────────────────────────────────────────────

/** Days in the zone that is stored with the time. */
const dayRange =
  (field: string, instant: Sql, zone: Sql): Condition =>
  (value) => {
    const { from, to } = requireDays(field, value)
    return sql`(${instant} at time zone ${zone})::date between ${from}::date and ${to}::date`
  }

/** The complete name, ignoring case: shelf 1 is not shelf 10. */
const hasName =
  (name: Sql): Condition =>
  (value) =>
    sql`lower(${name}) = lower(${String(value).trim()})`

const slotSortKey = sql`(s.row_letter || lpad(s.slot::text, 3, '0'))`

/** Every stored sample with its requisition. */
export const freezerSpecList: ListDefinition = {
  from: sql`specimen_location l join ${slotInFreezer} on s.id = l.slot_id join requisition_list q on q.requisition_id = l.requisition_id
    join lab on lab.id = f.lab_id join client c on c.id = q.client_id join physician ph on ph.id = q.physician_id join requisition r on r.id = l.requisition_id
    join requisition_patient p on p.requisition_id = r.id`,
  where: [isPlaced, sql`r.deleted_at is null`],
  fields: {
    id: sql`l.id`,
    labName: sql`lab.name`,
    ...positionFields,
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
    slot: slotSortKey,
    clientName: sql`sort_key(c.name)`,
    physName: sql`sort_key(ph.last_name || ', ' || ph.first_name)`,
    patientLastName: sql`p.name_key`,
  },
  filter: {
    sampleStorageCode: (value) =>
      sql`lower(f.code) = lower(${String(value)}) or ${contains(sql`(f.description || ' ' || lab.name)`)(value)}`,
    shelf: hasName(sql`b.shelf`),
    rack: hasName(sql`b.rack`),
    box: hasName(sql`b.box`),
    reqId: isOneOfIds(sql`l.requisition_id`, 'reqId'),
    clientId: isOneOfIds(sql`q.client_id`, 'clientId'),
    physId: isOneOfIds(sql`q.physician_id`, 'physId'),
    patientName: (value) =>
      contains(sql`(p.last_name || ', ' || p.first_name || ' ' || p.last_name)`)([value].flat().map(withSingleSpaces)),
    dateCollected: dayRange('dateCollected', sql`r.collected_at`, sql`r.collected_zone`),
    dateReceived: dayRange('dateReceived', sql`q.received_at`, sql`lab.zone`),
  },
  defaultOrder: sql`lab.id, ${byPosition}`,
  key: sql`l.id`,
  finish: (row) => ({
    ...row,
    collectedTzAbbr: abbreviation(row.dateCollected, row.collectedTz),
    labTzAbbr: abbreviation(row.dateReceived ?? row.dateCollected, row.labTz),
  }),
}

const abbreviation = (at: unknown, zone: unknown) => zoneAbbreviation(String(at), String(zone))
