import type { Trx } from './db.ts'

export interface UndoEntry {
  /** The kind of action that knows how to undo it. */
  kind: string
  /** 'Move 3 requisitions to Accessioned' */
  description: string
  count: number
  data: unknown
}

/** Records, in the transaction of the action, what it takes to undo it. */
export const recordUndo = async (
  { db, actor }: { db: Trx; actor: { userId: number } },
  { kind, description, count, data }: UndoEntry,
): Promise<number> => {
  const { id } = await db
    .insertInto('undo_action')
    .values({ user_id: actor.userId, kind, description, record_count: count, data: JSON.stringify(data) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The reply with the id of the undo beside the message, and in the data where that is a record. */
export const withUndoId = <Reply extends object>(reply: Reply, undoId: number): Reply & { undoId: number } => {
  const { data } = reply as { data?: unknown }
  const isRecord = typeof data === 'object' && data !== null && !Array.isArray(data)
  return { ...reply, undoId, ...(isRecord && { data: { ...data, undoId } }) }
}

/** 'requisition' or '3 requisitions' */
export const counted = (count: number, noun: string) => (count === 1 ? `1 ${noun}` : `${count} ${noun}s`)
