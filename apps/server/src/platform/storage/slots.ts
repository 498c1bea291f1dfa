import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'
import { invalid } from '../errors.ts'
import { type ObjectStore, settledKey, type UploadForm } from './object-store.ts'

/** Signed slots live 15 minutes, downloads 5 (decisions, section 5). */
export const slotSeconds = 15 * 60
export const downloadSeconds = 5 * 60
const defaultMaxBytes = 50 * 1024 * 1024

export interface SlotInput {
  sessionId: string
  /** What the file is for; the call that uses the upload must name the same purpose. */
  purpose: string
  key: string
  maxBytes?: number
}

/** Allows the browser of one session to upload one object under one key. */
export const createUploadSlot = async (trx: Trx, store: ObjectStore, input: SlotInput): Promise<UploadForm> => {
  const maxBytes = input.maxBytes ?? defaultMaxBytes
  await trx
    .insertInto('upload_slot')
    .values({
      object_key: input.key,
      session_id: input.sessionId,
      purpose: input.purpose,
      max_bytes: maxBytes,
      expires_at: sql<string>`now() + make_interval(secs => ${slotSeconds})`,
    })
    .execute()
  return store.uploadSlot(input.key, { maxBytes, expiresSeconds: slotSeconds })
}

/** A key from the browser is accepted only if its slot was created for this session and this purpose. */
export const requireOwnUpload = async (
  db: Db,
  { key, sessionId, purpose }: Pick<SlotInput, 'key' | 'sessionId' | 'purpose'>,
) => {
  const slot = await db
    .selectFrom('upload_slot')
    .select('object_key')
    .where('object_key', '=', key)
    .where('session_id', '=', sessionId)
    .where('purpose', '=', purpose)
    .executeTakeFirst()
  if (!slot) throw invalid('key', 'This file was not uploaded in your session')
}

/** Marks a slot as used, atomically; false when it is unknown, used or expired. */
export const claimSlot = async (db: Db, key: string): Promise<boolean> => {
  const result = await db
    .updateTable('upload_slot')
    .set({ used_at: sql`now()` })
    .where('object_key', '=', key)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export const releaseSlot = (db: Db, key: string) =>
  db.updateTable('upload_slot').set({ used_at: null }).where('object_key', '=', key).execute()

/** Registers an object that we made, such as an export, so that the clean-up removes it after it expires. */
export const registerTemporaryObject = async (
  trx: Trx,
  { key, sessionId, purpose, seconds }: Omit<SlotInput, 'maxBytes'> & { seconds: number },
) => {
  // Not now(), the start of the transaction, which may be half an hour ago for a long report.
  const expires_at = sql<string>`clock_timestamp() + make_interval(secs => ${seconds})`
  await trx
    .insertInto('upload_slot')
    .values({ object_key: key, session_id: sessionId, purpose, expires_at, used_at: sql<string>`now()` })
    .execute()
}

/** Whether an object that we made for this session still exists. */
export const hasTemporaryObject = async (
  db: Db,
  { key, sessionId, purpose }: Pick<SlotInput, 'key' | 'sessionId' | 'purpose'>,
): Promise<boolean> => {
  const slot = await db
    .selectFrom('upload_slot')
    .select('object_key')
    .where('object_key', '=', key)
    .where('session_id', '=', sessionId)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  return slot !== undefined
}

const graceMinutes = 60

/**
 * Removes expired slots, and uploads that never became a `stored_file`. An awaited key stays: after an outage or a restore the job that
 * registers it may still be queued.
 */
export const cleanUploads = async (
  db: Db,
  store: ObjectStore,
  { isAwaited, limit = 500 }: { isAwaited: (key: RawBuilder<unknown>) => RawBuilder<boolean>; limit?: number },
): Promise<number> => {
  const slots = await db
    .selectFrom('upload_slot')
    .select('object_key as key')
    .where(sql<boolean>`not ${isAwaited(sql`upload_slot.object_key`)}`)
    .where('expires_at', '<', sql<string>`now() - make_interval(mins => ${graceMinutes})`)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  if (slots.length === 0) return 0
  const keys = slots.flatMap(({ key }) => [key, settledKey(key)])
  const taken = await db.selectFrom('stored_file').select('object_key').where('object_key', 'in', keys).execute()
  const keep = new Set(taken.map((file) => file.object_key))
  for (const key of keys) if (!keep.has(key)) await store.remove(key)
  // After the objects: if the process dies in between, the next round finds the slots again.
  await db
    .deleteFrom('upload_slot')
    .where(
      'object_key',
      'in',
      slots.map(({ key }) => key),
    )
    .execute()
  return slots.length
}
