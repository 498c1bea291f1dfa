import { can } from '@lis/contract/access/permissions.ts'
import type { UndoAction } from '@lis/contract/undo.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, forbidden, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'

export interface UndoCall extends WriteCall {
  services: Services
}

/** A record that an undo has put back: the number it had before the action, and its number now. Each change gives a higher one. */
interface Restored {
  record: number
  found: number
  now: number
}
/** The number of a record that was left with this one, if everything done with it since has been undone. */
type CurrentNumber = (record: number, left: number) => number

/** How one kind of action is undone, as its module defines it. */
export interface UndoKind<Data = unknown> {
  kind: string
  /** Why it cannot be undone, as text: the records that were changed since. Only reads. */
  findObstacles: (db: Db, data: Data) => Promise<string[]>
  /** Undoes the whole action; runs after `lock` and without obstacles. */
  undo: (call: UndoCall, data: Data) => Promise<void>
  /** Locks the records, in order, so that nobody changes them between the check and the undo. */
  lock: (call: UndoCall, data: Data) => Promise<unknown>
  /** Where an action is recognized as the last one by numbers in its data: what the undo has put back. */
  readRestored?: (db: Db, data: Data) => Promise<Restored[]>
  /** The data with the numbers that its records have now. */
  follow?: (data: Data, current: CurrentNumber) => Data
}

const mostListed = 50

interface StoredAction {
  id: number
  userId: number
  kind: string
  description: string
  count: number
  data: unknown
  createDate: string
  expiresAt: string
  isExpired: boolean
  undoneBy: string | null
}

const actions = (seconds: number) => sql`
  select a.id, a.user_id as "userId", a.kind, a.description, a.record_count as "count", a.data, a.created_at as "createDate",
    a.created_at + make_interval(secs => ${seconds}) as "expiresAt", a.created_at + make_interval(secs => ${seconds}) <= now() as "isExpired",
    case when a.undone_at is not null then (select concat_ws(' ', u.first_name, u.last_name) from app_user u where u.id = a.undone_by) end as "undoneBy"
  from undo_action a`

const stateReason = ({ undoneBy, isExpired }: StoredAction): string | null => {
  if (undoneBy !== null) return `Already undone by ${undoneBy}`
  return isExpired ? 'The time in which it could be undone is over' : null
}

/** The user's own actions of the last day. */
export const listActions = async (
  db: Db,
  actor: Actor,
  kinds: readonly UndoKind[],
  seconds: number,
): Promise<UndoAction[]> => {
  const { rows } = await sql<StoredAction>`${actions(seconds)}
    where a.user_id = ${actor.userId} and a.created_at > now() - make_interval(secs => greatest(${seconds}, 86400))
    order by a.id desc limit ${mostListed}`.execute(db)
  const current = await readCurrentNumbers(db, seconds)
  return Promise.all(
    rows.map(async (row) => {
      const kind = kindOf(kinds, row)
      const reason = stateReason(row) ?? obstacleText(await kind.findObstacles(db, current(kind, row.data)))
      const { id, description, count, createDate, expiresAt } = row
      return { id, description, count, createDate, expiresAt, canUndo: reason === null, reason }
    }),
  )
}

/** Follows each record through the later actions that have been undone. */
const readCurrentNumbers = async (db: Db, seconds: number) => {
  const { rows } = await sql<{ kind: string; restored: Restored[] }>`
    select kind, restored from undo_action
    where restored is not null and created_at > now() - make_interval(secs => ${seconds})`.execute(db)
  const next = new Map(
    rows.flatMap(({ kind, restored }) => restored.map(({ record, found, now }) => [`${kind} ${record} ${found}`, now])),
  )
  const last = (record: string, left: number): number => {
    const now = next.get(`${record} ${left}`)
    return now === undefined ? left : last(record, now)
  }
  return ({ kind, follow }: UndoKind, data: unknown): unknown =>
    follow ? follow(data, (record, left) => last(`${kind} ${record}`, left)) : data
}

const kindOf = (kinds: readonly UndoKind[], { kind }: StoredAction): UndoKind => {
  const found = kinds.find((one) => one.kind === kind)
  if (!found) throw new Error(`No kind of undo is named ${kind}`)
  return found
}

const mostNamed = 5
const obstacleText = (obstacles: readonly string[]): string | null => {
  if (obstacles.length === 0) return null
  const more = obstacles.length - mostNamed
  return [...obstacles.slice(0, mostNamed), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** Undoes an action completely or not at all; of two concurrent calls the second finds it undone. */
export const undoAction = async (call: UndoCall, kinds: readonly UndoKind[], id: number) => {
  const { db, actor, services } = call
  await sql`select 1 from undo_action where id = ${id} for update`.execute(db)
  const { rows } = await sql<StoredAction>`${actions(services.config.UNDO_SECONDS)} where a.id = ${id}`.execute(db)
  const [found] = rows
  if (!found) throw notFound('Action')
  if (found.userId !== actor.userId && !can(actor.role, 'undo.others'))
    throw forbidden('Only the person who did it, an administrator or management can undo it')
  const over = stateReason(found)
  if (over !== null) throw conflict(over)
  const kind = kindOf(kinds, found)
  await kind.lock(call, found.data)
  const current = await readCurrentNumbers(db, services.config.UNDO_SECONDS)
  const data = current(kind, found.data)
  const obstacles = await kind.findObstacles(db, data)
  const reason = obstacleText(obstacles)
  if (reason !== null) throw conflict(`It cannot be undone: ${reason}`, { obstacles })
  await kind.undo(call, data)
  const restored = (await kind.readRestored?.(db, data)) ?? []
  await sql`update undo_action set undone_at = now(), undone_by = ${actor.userId},
      restored = ${restored.length > 0 ? JSON.stringify(restored) : null}::jsonb where id = ${id}`.execute(db)
  return { id, count: found.count, description: found.description }
}
