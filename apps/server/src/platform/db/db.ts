import type { Kysely, Transaction } from 'kysely'
import type { DB } from './types.ts'

export type Db = Kysely<DB>
export type Trx = Transaction<DB>

/** Runs in the caller's transaction, or in a new one. */
export const inTransaction = <T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db as Trx) : db.transaction().execute(work)
