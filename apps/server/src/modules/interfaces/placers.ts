import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'

// The numbers under which a partner has placed orders: each identifies one order for ever, so that no order is created twice.

export interface Placer {
  placer_number: string
  message_id: number
  requisition_id: number | null
  content_hash: Buffer
}

export const findPlacers = async (trx: Trx, partnerId: number, placers: readonly string[]): Promise<Placer[]> => {
  const { rows } = await sql<Placer>`select placer_number, message_id, requisition_id, content_hash from interface_order
    where partner_id = ${partnerId} and placer_number = any(${[...placers]}::text[])`.execute(trx)
  return rows
}

/** The requisition of an order that is known by one of these numbers. */
export const findOrderedRequisition = async (
  trx: Trx,
  partnerId: number,
  placers: readonly string[],
): Promise<number | null> =>
  (await findPlacers(trx, partnerId, placers)).find(({ requisition_id: id }) => id !== null)?.requisition_id ?? null

/** Releases the numbers of a message without an effect. */
export const releasePlacers = async (trx: Trx, messageId: number) => {
  await sql`delete from interface_order where message_id = ${messageId} and requisition_id is null`.execute(trx)
}

/** The number of changes of the requisitions of these orders. */
export const countChanges = async (db: Db, partnerId: number, placers: readonly string[]): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from audit_entry where requisition_id in
    (select requisition_id from interface_order where partner_id = ${partnerId} and placer_number = any(${[...placers]}::text[]))`.execute(
    db,
  )
  return rows[0]?.n ?? 0
}

/** Whether these are all numbers of an order, with the same content. */
export const isSameOrder = (taken: readonly Placer[], placers: readonly string[], hash: Buffer): boolean =>
  taken.length === placers.length && taken.every((one) => one.content_hash.equals(hash))

/** In the order of the numbers, so that two messages with the same numbers do not deadlock. */
export const claimPlacers = async (
  trx: Trx,
  partnerId: number,
  placers: readonly string[],
  messageId: number,
  hash: Buffer,
): Promise<boolean> => {
  const sorted = [...placers].toSorted()
  const { numAffectedRows = 0n } =
    await sql`insert into interface_order (partner_id, placer_number, message_id, content_hash)
    select ${partnerId}::int, number, ${messageId}::bigint, ${hash}::bytea from unnest(${sorted}::text[]) as number
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows) === sorted.length
}

/** Another connection has just placed an order under the same number: the transaction runs again and finds it. */
export class ConcurrentOrder extends Error {
  readonly code = '40001'
}
