import { displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { counted, recordUndo } from '../../platform/db/undo.ts'
import { announce } from '../../platform/domain-events.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { UndoKind } from '../undo/service.ts'
import { lockRequisitionRows, setStatus } from './service.ts'

/** Each requisition with the status it had, the one it has now, and the event that gave it. */
interface MovedRequisition {
  id: number
  from: StatusCode
  to: StatusCode
  eventId: number
  /** The event before the action; not in the actions of the release before. */
  eventBefore?: number | null
}

const kind = 'STATUS'

/** After a bulk move; a requisition that moved on by itself goes back to where it was before both steps. */
export const recordMoveUndo = async (call: WriteCall, ids: readonly number[], from: StatusCode, to: StatusCode) => {
  const { rows } = await sql<MovedRequisition>`
    select r.id, ${from} as "from", r.status_code as "to",
      (select max(e.id) from requisition_status_event e where e.requisition_id = r.id) as "eventId",
      -- The events of this transaction have its time.
      (select max(e.id) from requisition_status_event e where e.requisition_id = r.id and e.at <> now()) as "eventBefore"
    from requisition r where r.id = any(${[...ids]}::bigint[]) order by r.id`.execute(call.db)
  const description = `Move ${counted(rows.length, 'requisition')} to ${displayStatus(to)}`
  return recordUndo(call, { kind, description, count: rows.length, data: rows })
}

export const statusUndo: UndoKind<MovedRequisition[]> = {
  kind,
  lock: ({ db }, data) =>
    lockRequisitionRows(
      db,
      data.map(({ id }) => id),
    ),
  findObstacles: async (db: Db, data) => {
    const { rows } = await sql<{ id: number; status: StatusCode | null; isDeleted: boolean }>`
      select m.id, r.status_code as status, r.id is null or r.deleted_at is not null as "isDeleted"
      from json_to_recordset(${JSON.stringify(data)}::json) as m(id bigint, "eventId" bigint)
      left join requisition r on r.id = m.id
      where r.id is null or r.deleted_at is not null
        or m."eventId" is distinct from (select max(e.id) from requisition_status_event e where e.requisition_id = r.id)
      order by m.id`.execute(db)
    return rows.map(({ id, status, isDeleted }) =>
      isDeleted || status === null
        ? `Requisition #${id} has been deleted`
        : `Requisition #${id} has been moved on and is ${displayStatus(status)} now`,
    )
  },
  follow: (data, current) => data.map((one) => ({ ...one, eventId: current(one.id, one.eventId) })),
  readRestored: async (db, data) => {
    const found = new Map(data.flatMap(({ id, eventBefore }) => (eventBefore ? [[id, eventBefore]] : [])))
    const { rows } = await sql<{ record: number; now: number }>`
      select requisition_id as record, max(id) as now from requisition_status_event
      where requisition_id = any(${[...found.keys()]}::bigint[]) group by requisition_id`.execute(db)
    return rows.map(({ record, now }) => ({ record, found: found.get(record) as number, now }))
  },
  undo: async (call, data) => {
    const { db, actor, requestId } = call
    const steps = Map.groupBy(data, ({ from, to }) => `${from} ${to}`)
    for (const moved of steps.values()) {
      const [{ from, to }] = moved as [MovedRequisition]
      const ids = moved.map(({ id }) => id)
      await setStatus(db, actor, requestId, ids, { from: to, to: from, reason: 'Undo' })
      await announce(call, 'statusMovedBack', { requisitionIds: ids, from: to, to: from })
    }
  },
}
