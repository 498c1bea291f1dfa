import { maxSmartFilters, type SmartFilter, type SmartFilterInput } from '@lis/contract/smart-filters.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'

/** The views of one user, which no other user sees. */
export const smartFilterList = (userId: number): ListDefinition => ({
  from: sql`smart_filter f`,
  where: [sql`f.deleted_at is null`, sql`f.user_id = ${userId}`],
  fields: {
    id: sql`f.id`,
    smartName: sql`f.smart_name`,
    smartScreen: sql`f.smart_screen`,
    smartValues: sql`f.smart_values`,
  },
  sort: { smartName: sql`lower(f.smart_name)` },
  filter: {
    id: isOneOfIds(sql`f.id`, 'id'),
    smartScreen: isOneOf(sql`f.smart_screen`),
    smartName: contains(sql`f.smart_name`),
  },
  defaultOrder: sql`lower(f.smart_name)`,
  key: sql`f.id`,
})

export const findSmartFilter = (db: Db, userId: number, id: number) =>
  findRow<SmartFilter>(db, smartFilterList(userId), id)

export const hasMaxSmartFilters = async (db: Db, userId: number, screen: string): Promise<boolean> => {
  const { count } = await db
    .selectFrom('smart_filter')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('smart_screen', '=', screen)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count >= maxSmartFilters
}

/** Undefined when the user already has a view of that name on the screen. */
export const insertSmartFilter = async (trx: Trx, userId: number, input: SmartFilterInput) => {
  const { rows } = await sql<{ id: number }>`
    insert into smart_filter (user_id, smart_screen, smart_name, smart_values)
    values (${userId}, ${input.smartScreen}, ${input.smartName}, ${JSON.stringify(input.smartValues)})
    on conflict (user_id, smart_screen, lower(smart_name)) where deleted_at is null do nothing returning id`.execute(
    trx,
  )
  return rows[0]
}

export const markDeleted = async (trx: Trx, userId: number, id: number) => {
  await trx
    .updateTable('smart_filter')
    .set({ deleted_at: sql<string>`now()` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .execute()
}
