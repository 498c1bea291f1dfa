import { slotName } from '@lis/contract/spec-locations.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { recordUndo } from '../../platform/db/undo.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisitionsOf } from '../requisition-record/queries.ts'
import type { UndoKind } from '../undo/service.ts'

/** Where a sample was; null for one that was not stored before. */
interface Place {
  slotId: number
  discardedAt: string | null
  discardedBy: number | null
  /** Not in the actions of the release before. */
  version?: number
}
/** A stored sample as the action left it, and how it was before. */
interface ChangedLocation {
  id: number
  reqId: number
  version: number
  before: Place | null
}

const kind = 'LOCATIONS'

/** The current locations of these samples, to be recorded before they are changed. */
export const readPlaces = async (trx: Trx, ids: readonly number[]): Promise<Map<number, Place>> => {
  const rows = await trx
    .selectFrom('specimen_location')
    .select(['id', 'slot_id as slotId', 'discarded_at as discardedAt', 'discarded_by as discardedBy', 'version'])
    .where('id', '=', anyId(ids))
    .execute()
  return new Map(rows.map(({ id, ...place }) => [id, place]))
}

/** Records how to undo what was done with these samples; those without a place in `before` are new. */
export const recordLocationUndo = async (
  call: WriteCall,
  description: string,
  ids: readonly number[],
  before: ReadonlyMap<number, Place> = new Map(),
) => {
  const rows = await call.db
    .selectFrom('specimen_location')
    .select(['id', 'requisition_id as reqId', 'version'])
    .where('id', '=', anyId(ids))
    .orderBy('id')
    .execute()
  const data: ChangedLocation[] = rows.map((row) => ({ ...row, before: before.get(row.id) ?? null }))
  return recordUndo(call, { kind, description, count: data.length, data })
}

interface Obstacle {
  reqId: number
  rowLetter: string | null
  slot: number | null
  takenBy: number | null
  isDeleted: boolean
}

export const locationUndo: UndoKind<ChangedLocation[]> = {
  kind,
  lock: async ({ db }, data) => {
    await lockRequisitionsOf(
      db,
      data.map(({ reqId }) => reqId),
    )
    await db
      .selectFrom('specimen_location')
      .select('id')
      .where('id', '=', anyId(data.map(({ id }) => id)))
      .orderBy('id')
      .forUpdate()
      .execute()
  },
  findObstacles: async (db, data) => {
    const { rows } = await sql<Obstacle>`
      with changed as (
        select * from json_to_recordset(${JSON.stringify(
          data.map(({ id, reqId, version, before }) => ({
            id,
            req_id: reqId,
            version,
            slot_id: before && before.discardedAt === null ? before.slotId : null,
          })),
        )}::json) as c(id bigint, req_id bigint, version int, slot_id int))
      select c.req_id as "reqId", s.row_letter as "rowLetter", s.slot, other.requisition_id as "takenBy", r.deleted_at is not null as "isDeleted"
      from changed c
      left join specimen_location l on l.id = c.id
      left join requisition r on r.id = c.req_id
      left join specimen_location other on other.slot_id = c.slot_id and other.discarded_at is null and other.id not in (select id from changed)
      left join freezer_slot s on s.id = coalesce(c.slot_id, l.slot_id)
      where l.version is distinct from c.version or other.id is not null or r.deleted_at is not null
      order by c.id`.execute(db)
    return rows.map(({ reqId, rowLetter, slot, takenBy, isDeleted }) => {
      const name = rowLetter === null || slot === null ? 'its slot' : `slot ${slotName({ rowLetter, slot })}`
      if (isDeleted) return `Requisition #${reqId} has been deleted`
      return takenBy === null
        ? `The sample of #${reqId} in ${name} has been moved on`
        : `A sample of #${takenBy} is in ${name} now`
    })
  },
  follow: (data, current) => data.map((one) => ({ ...one, version: current(one.id, one.version) })),
  readRestored: async (db, data) => {
    const found = new Map(
      data.flatMap(({ id, before }) => (before?.version === undefined ? [] : [[id, before.version]])),
    )
    const rows = await db
      .selectFrom('specimen_location')
      .select(['id', 'version'])
      .where('id', '=', anyId([...found.keys()]))
      .execute()
    return rows.map(({ id, version }) => ({ record: id, found: found.get(id) as number, now: version }))
  },
  undo: async (call, data) => {
    const { db, actor, requestId } = call
    const isNew = ({ before }: ChangedLocation) => before === null
    const ids = data.map(({ id }) => id)
    // All slots are freed first, because two samples may swap places.
    await db
      .updateTable('specimen_location')
      .set({ discarded_at: sql<string>`now()`, discarded_by: actor.userId })
      .where('id', '=', anyId(ids))
      .execute()
    await db
      .deleteFrom('specimen_location')
      .where('id', '=', anyId(data.filter(isNew).map(({ id }) => id)))
      .execute()
    const back = data.filter((one) => !isNew(one)).map(({ id, before }) => ({ id, ...before }))
    await sql`update specimen_location l set slot_id = b."slotId", discarded_at = b."discardedAt", discarded_by = b."discardedBy", version = version + 1
      from json_to_recordset(${JSON.stringify(back)}::json) as b(id bigint, "slotId" int, "discardedAt" timestamptz, "discardedBy" int)
      where l.id = b.id`.execute(db)
    await recordAudit(
      db,
      actor,
      requestId,
      [...Map.groupBy(data, ({ reqId }) => reqId)].map(([reqId, own]) => ({
        entity: 'requisition',
        entityId: reqId,
        requisitionId: reqId,
        action: 'UNDO',
        new: { Samples: own.length, trackerIds: own.flatMap(({ before }) => before?.slotId ?? []) },
      })),
    )
  },
}

interface MovedBox {
  id: number
  before: BoxPlace
  after: BoxPlace
}
interface BoxPlace {
  freezerId: number
  shelf: string
  rack: string
  box: string
}

/** The boxes of a moved box, rack or shelf. */
export const boxUndo: UndoKind<MovedBox[]> = {
  kind: 'BOXES',
  lock: ({ db }, data) =>
    sql`select 1 from freezer_box where id = any(${data.map(({ id }) => id)}::int[]) order by id for update`.execute(
      db,
    ),
  findObstacles: async (db, data) => {
    const { rows } = await sql<{ box: string; isTaken: boolean }>`
      select concat_ws(' / ', m.shelf, m.rack, m.box) as box, taken.id is not null as "isTaken"
      from json_to_recordset(${JSON.stringify(data.map(({ id, before, after }) => ({ id, ...before, now: after })))}::json)
        as m(id int, "freezerId" int, shelf text, rack text, box text, now json)
      left join freezer_box b on b.id = m.id
      left join freezer_box taken on taken.freezer_id = m."freezerId" and taken.shelf = m.shelf and taken.rack = m.rack and taken.box = m.box
        and not taken.id = any(${data.map(({ id }) => id)}::int[])
      where taken.id is not null or b.id is null
        or (b.freezer_id, b.shelf, b.rack, b.box) is distinct from ((m.now->>'freezerId')::int, m.now->>'shelf', m.now->>'rack', m.now->>'box')
      order by m.id`.execute(db)
    return rows.map(({ box, isTaken }) =>
      isTaken ? `There is another box at ${box} now` : `The box from ${box} has been moved on`,
    )
  },
  undo: async ({ db, actor, requestId }, data) => {
    await placeBoxes(
      db,
      data.map(({ id, before }) => ({ id, ...before })),
    )
    await recordAudit(
      db,
      actor,
      requestId,
      data.map(({ id, before, after }) => ({
        entity: 'freezer_box',
        entityId: id,
        action: 'UNDO',
        old: { ...after },
        new: { ...before },
      })),
    )
  },
}

/** First to temporary addresses, because two boxes may swap places. */
export const placeBoxes = async (trx: Trx, boxes: readonly (BoxPlace & { id: number })[]) => {
  await sql`update freezer_box set rack = '#' || id where id = any(${boxes.map(({ id }) => id)}::int[])`.execute(trx)
  await sql`update freezer_box b set freezer_id = m."freezerId", shelf = m.shelf, rack = m.rack, box = m.box
    from json_to_recordset(${JSON.stringify(boxes)}::json) as m(id int, "freezerId" int, shelf text, rack text, box text)
    where b.id = m.id`.execute(trx)
}
