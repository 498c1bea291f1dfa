import type { ListSettings } from '@lis/contract/list-settings.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'

/** The stored settings of a list; `columns` null means the standard. */
export interface StoredSettings extends Omit<ListSettings, 'columns' | 'isStandard'> {
  columns: ListSettings['columns'] | null
}

const select = sql`select screen, columns, sort, tab, is_filter_open as "isFilterOpen", per_page as "perPage" from list_setting`

/** The settings of one user, private to that user. */
export const listStoredSettings = async (db: Db, userId: number): Promise<StoredSettings[]> =>
  (await sql<StoredSettings>`${select} where user_id = ${userId} order by screen`.execute(db)).rows

export const findStoredSettings = async (db: Db, userId: number, screen: string): Promise<StoredSettings | undefined> =>
  (await sql<StoredSettings>`${select} where user_id = ${userId} and screen = ${screen}`.execute(db)).rows[0]

/** Serializes concurrent writes of one user. */
export const lockSettings = (trx: Trx, userId: number, screen: string) =>
  sql`insert into list_setting (user_id, screen) values (${userId}, ${screen})
    on conflict (user_id, screen) do update set screen = excluded.screen`.execute(trx)

export const saveStoredSettings = (
  trx: Trx,
  userId: number,
  { screen, columns, sort, tab, isFilterOpen, perPage }: StoredSettings,
) =>
  sql`update list_setting set columns = ${columns && JSON.stringify(columns)}, sort = ${JSON.stringify(sort)}, tab = ${tab},
    is_filter_open = ${isFilterOpen}, per_page = ${perPage} where user_id = ${userId} and screen = ${screen}`.execute(
    trx,
  )

export const removeStoredSettings = (trx: Trx, userId: number, screen: string) =>
  sql`delete from list_setting where user_id = ${userId} and screen = ${screen}`.execute(trx)
