import {
  maxSmartFilters,
  type SmartFilter,
  type SmartFilterChoice,
  type SmartFilterInput,
  type SmartFilterShares,
} from '@lis/contract/smart-filters.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'

/** Shared with the reader, by an owner whose account is still in use. */
const isSharedWith = ({ userId, role }: Reader) => sql`(u.deleted_at is null and u.status_code = 'ACT' and exists (
  select from smart_filter_share s where s.smart_filter_id = f.id and (s.user_id = ${userId} or s.role_code = ${role})))`

type Reader = Pick<Actor, 'userId' | 'role'>

/** The views of one user, and those shared with it; no other user sees them. */
export const smartFilterList = (reader: Reader): ListDefinition => {
  const isOwn = sql`f.user_id = ${reader.userId}`
  return {
    from: sql`smart_filter f join app_user u on u.id = f.user_id
      left join smart_filter_choice c on c.smart_filter_id = f.id and c.user_id = ${reader.userId}`,
    where: [sql`f.deleted_at is null`, sql`(${isOwn} or ${isSharedWith(reader)})`],
    fields: {
      id: sql`f.id`,
      smartName: sql`f.smart_name`,
      smartScreen: sql`f.smart_screen`,
      smartValues: sql`f.smart_values`,
      sort: sql`f.sort`,
      columns: sql`f.columns`,
      isDefault: sql`coalesce(c.is_default, false)`,
      isPinned: sql`coalesce(c.is_pinned, false)`,
      isOwn: sql`(${isOwn})`,
      ownerName: sql`u.first_name || ' ' || u.last_name`,
      canChange: sql`(${isOwn})`,
      roleCodes: sql`case when ${isOwn} then array(select s.role_code from smart_filter_share s
        where s.smart_filter_id = f.id and s.role_code is not null order by s.role_code) else '{}' end`,
      userIds: sql`case when ${isOwn} then array(select s.user_id from smart_filter_share s
        where s.smart_filter_id = f.id and s.user_id is not null order by s.user_id) else '{}' end`,
      version: sql`f.version`,
    },
    sort: { smartName: sql`lower(f.smart_name)` },
    filter: {
      id: isOneOfIds(sql`f.id`, 'id'),
      smartScreen: isOneOf(sql`f.smart_screen`),
      smartName: contains(sql`f.smart_name`),
    },
    defaultOrder: sql`lower(f.smart_name)`,
    key: sql`f.id`,
  }
}

export const findSmartFilter = (db: Db, reader: Reader, id: number) =>
  findRow<SmartFilter>(db, smartFilterList(reader), id)

/** The views that open by default for the reader, by screen. */
export const listDefaultViews = async (db: Db, reader: Reader) => {
  const { rows } = await sql<{ screen: string; id: number }>`
    select f.smart_screen as screen, f.id from smart_filter_choice c join smart_filter f on f.id = c.smart_filter_id join app_user u on u.id = f.user_id
    where c.user_id = ${reader.userId} and c.is_default and f.deleted_at is null and (f.user_id = ${reader.userId} or ${isSharedWith(reader)})
    order by f.smart_screen, f.id`.execute(db)
  return rows
}

type PinnedView = Pick<SmartFilter, 'id' | 'smartScreen' | 'smartName' | 'smartValues'>

/** The views that the reader has pinned to Home, of the screens whose names begin with `prefix`. */
export const listPinnedViews = async (db: Db, reader: Reader, prefix: string): Promise<PinnedView[]> => {
  const { rows } = await sql<PinnedView>`
    select f.id, f.smart_screen as "smartScreen", f.smart_name as "smartName", f.smart_values as "smartValues"
    from smart_filter_choice c join smart_filter f on f.id = c.smart_filter_id join app_user u on u.id = f.user_id
    where c.user_id = ${reader.userId} and c.is_pinned and f.deleted_at is null and starts_with(f.smart_screen, ${prefix})
      and (f.user_id = ${reader.userId} or ${isSharedWith(reader)}) order by lower(f.smart_name), f.id`.execute(db)
  return rows
}

/** The reader's own, locked until the transaction ends. */
export const lockSmartFilter = async (trx: Trx, userId: number, id: number) => {
  const { rows } = await sql`
    select id from smart_filter where id = ${id}::bigint and user_id = ${userId} and deleted_at is null for update`.execute(
    trx,
  )
  return rows.length > 0
}

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

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** Undefined when the user already has a view of that name on the screen. */
export const insertSmartFilter = async (trx: Trx, userId: number, input: SmartFilterInput) => {
  const { rows } = await sql<{ id: number }>`
    insert into smart_filter (user_id, smart_screen, smart_name, smart_values, sort, columns)
    values (${userId}, ${input.smartScreen}, ${input.smartName}, ${json(input.smartValues)}, ${json(input.sort)}, ${json(input.columns)})
    on conflict (user_id, smart_screen, lower(smart_name)) where deleted_at is null do nothing returning id`.execute(
    trx,
  )
  return rows[0]
}

export const isNameTaken = async (trx: Trx, userId: number, { id, smartScreen, smartName }: SmartFilter) => {
  const { rows } = await sql`
    select id from smart_filter where user_id = ${userId} and smart_screen = ${smartScreen} and lower(smart_name) = lower(${smartName})
      and id <> ${id} and deleted_at is null`.execute(trx)
  return rows.length > 0
}

export const updateSmartFilter = async (trx: Trx, { id, smartName, smartValues, sort, columns }: SmartFilter) => {
  await sql`update smart_filter set smart_name = ${smartName}, smart_values = ${json(smartValues)}, sort = ${json(sort)},
    columns = ${json(columns)}, version = version + 1 where id = ${id}`.execute(trx)
}

/** One view of a screen at most opens by default. */
export const saveChoice = async (
  trx: Trx,
  userId: number,
  { id, smartScreen, isDefault, isPinned }: Pick<SmartFilter, 'id' | 'smartScreen'> & Required<SmartFilterChoice>,
) => {
  if (isDefault)
    await sql`update smart_filter_choice c set is_default = false from smart_filter f
      where f.id = c.smart_filter_id and f.smart_screen = ${smartScreen} and c.user_id = ${userId} and c.is_default and f.id <> ${id}`.execute(
      trx,
    )
  await sql`insert into smart_filter_choice (user_id, smart_filter_id, is_default, is_pinned) values (${userId}, ${id}, ${isDefault}, ${isPinned})
    on conflict (user_id, smart_filter_id) do update set is_default = excluded.is_default, is_pinned = excluded.is_pinned`.execute(
    trx,
  )
}

export const replaceShares = async (trx: Trx, id: number, { roleCodes, userIds }: SmartFilterShares) => {
  await sql`delete from smart_filter_share where smart_filter_id = ${id}`.execute(trx)
  await sql`insert into smart_filter_share (smart_filter_id, role_code, user_id)
    select ${id}::int, role_code, null::int from unnest(${roleCodes}::text[]) role_code
    union all select ${id}::int, null::text, user_id from unnest(${userIds}::int[]) user_id`.execute(trx)
}

const fullName = sql<string>`u.first_name || ' ' || u.last_name`

/** Other active users: everyone, or those of the reader's own practice or company. */
export const listReceivers = async (db: Db, { userId, role }: Reader, isEveryone: boolean) => {
  const { rows } = await sql<{ id: number; userName: string; userFullName: string; userRoleCode: string }>`
    select u.id, u.user_name::text as "userName", ${fullName} as "userFullName", u.role_code as "userRoleCode"
    from app_user u join app_user me on me.id = ${userId}
    where u.deleted_at is null and not u.is_api_client and u.status_code = 'ACT' and u.role_code <> 'GST' and u.id <> me.id
      and (${isEveryone} or u.role_code = ${role} and (u.client_id, u.collaborator_id, u.physician_id, u.sales_person_id)
        is not distinct from (me.client_id, me.collaborator_id, me.physician_id, me.sales_person_id))
    order by lower(u.last_name), lower(u.first_name), u.id limit 5000`.execute(db)
  return rows
}

export const markDeleted = async (trx: Trx, userId: number, id: number) => {
  await trx
    .updateTable('smart_filter')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .execute()
}
