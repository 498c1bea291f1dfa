import type { Schedule, ScheduleInput } from '@lis/contract/schedules.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'

/** The schedules of one person. */
export const scheduleList = (ownerId: number): ListDefinition => ({
  from: sql`schedule s left join report_definition d on d.code = s.report_code left join smart_filter f on f.id = s.smart_filter_id`,
  where: [sql`s.deleted_at is null`, sql`s.owner_id = ${ownerId}`],
  fields: {
    id: sql`s.id`,
    version: sql`s.version`,
    reportCode: sql`s.report_code`,
    reportDesc: sql`d.description`,
    smartFilterId: sql`s.smart_filter_id`,
    smartName: sql`f.smart_name`,
    every: sql`s.every`,
    at: sql`to_char(s.at, 'HH24:MI')`,
    tz: sql`s.tz`,
    userIds: sql`s.user_ids`,
    roleCodes: sql`s.role_codes`,
    emails: sql`s.emails`,
    sendAs: sql`s.send_as`,
    onlyWhenNotEmpty: flag01(sql`s.is_only_when_not_empty`),
    nextDate: sql`s.next_at`,
    sentDate: sql`s.sent_at`,
  },
  sort: { nextDate: sql`s.next_at` },
  filter: {
    id: isOneOfIds(sql`s.id`, 'id'),
    reportCode: contains(sql`s.report_code`),
    smartFilterId: isOneOfIds(sql`s.smart_filter_id`, 'smartFilterId'),
  },
  defaultOrder: sql`s.id`,
  key: sql`s.id`,
})

export const findSchedule = (db: Db, ownerId: number, id: number) => findRow<Schedule>(db, scheduleList(ownerId), id)

const localDay = (instant: Sql, tz: Sql): Sql => sql`(${instant} at time zone ${tz})::date`

/** The next time after now: every day, or on the day of the week or month on which the schedule began. */
const nextTime = (every: Sql, at: Sql, tz: Sql, startsAt: Sql): Sql => {
  const [first, today] = [localDay(startsAt, tz), localDay(sql`now()`, tz)]
  const passed = sql`case ${every} when 'DAY' then ${today} - ${first} when 'WEEK' then (${today} - ${first}) / 7
    else (extract(year from age(${today}, ${first})) * 12 + extract(month from age(${today}, ${first})))::int end`
  const step = sql`case ${every} when 'DAY' then interval '1 day' when 'WEEK' then interval '7 days' else interval '1 month' end`
  return sql`(select min(t) from (select ((${first} + n * ${step})::date + ${at}) at time zone ${tz} as t
    from generate_series(greatest(${passed} - 1, 0), ${passed} + 2) n) x where t > now())`
}

const columnsOf = (input: ScheduleInput) => ({
  report_code: input.reportCode,
  smart_filter_id: input.smartFilterId,
  every: input.every,
  at: input.at,
  tz: input.tz ?? 'UTC',
  user_ids: input.userIds,
  role_codes: input.roleCodes,
  emails: input.emails,
  send_as: input.sendAs,
  is_only_when_not_empty: input.onlyWhenNotEmpty === 1,
})

export const insertSchedule = async (trx: Trx, ownerId: number, input: ScheduleInput): Promise<{ id: number }> => {
  const columns = columnsOf(input)
  return trx
    .insertInto('schedule')
    .values({
      owner_id: ownerId,
      ...columns,
      next_at: nextTime(
        sql`${columns.every}::text`,
        sql`${columns.at}::time`,
        sql`${columns.tz}::text`,
        sql`now()`,
      ) as ReturnType<typeof sql<string>>,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

export const updateSchedule = async (trx: Trx, id: number, input: ScheduleInput) => {
  const columns = columnsOf(input)
  await trx
    .updateTable('schedule')
    .set({
      ...columns,
      next_at: nextTime(
        sql`${columns.every}::text`,
        sql`${columns.at}::time`,
        sql`${columns.tz}::text`,
        sql`starts_at`,
      ) as ReturnType<typeof sql<string>>,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
}

export const endSchedule = async (trx: Trx, id: number): Promise<boolean> => {
  const { rows } =
    await sql`update schedule set deleted_at = now(), version = version + 1 where id = ${id} and deleted_at is null returning id`.execute(
      trx,
    )
  return rows.length > 0
}

/** The due schedules, with the time that a process uses to claim one. */
export const listDue = async (db: Db) => {
  const { rows } = await sql<{ id: number; ownerId: number; nextAt: string }>`
    select id, owner_id as "ownerId", next_at::text as "nextAt" from schedule where deleted_at is null and next_at <= now() order by next_at, id`.execute(
    db,
  )
  return rows
}

/** False if another process has sent it. */
export const claimDue = async (trx: Trx, id: number, nextAt: string): Promise<boolean> => {
  const { rows } =
    await sql`update schedule set next_at = ${nextTime(sql`every`, sql`at`, sql`tz`, sql`starts_at`)}, sent_at = now()
    where id = ${id} and next_at = ${nextAt}::timestamptz and deleted_at is null returning id`.execute(trx)
  return rows.length > 0
}

export const markSent = (trx: Trx, id: number) => sql`update schedule set sent_at = now() where id = ${id}`.execute(trx)

/** The delay after a failure. */
export const postpone = (db: Db, id: number) =>
  sql`update schedule set next_at = now() + interval '10 minutes' where id = ${id} and deleted_at is null`.execute(db)

export interface Person {
  id: number
  name: string
  email: string | null
  isActive: boolean
}

const personColumns = sql`u.id, u.first_name || ' ' || u.last_name as name, u.email::text as email,
  (u.status_code = 'ACT' and u.deleted_at is null) as "isActive"`

/** The named users, even if disabled or deleted, and the active users of the roles. */
export const listPeople = async (
  db: Db,
  { userIds, roleCodes }: { userIds: readonly number[]; roleCodes: readonly string[] },
): Promise<Person[]> => {
  const { rows } = await sql<Person>`select ${personColumns} from app_user u where not u.is_api_client
    and (u.id = any(${[...userIds]}::int[]) or u.role_code = any(${[...roleCodes]}::text[]) and u.status_code = 'ACT' and u.deleted_at is null)
    order by u.id`.execute(db)
  return rows
}

/** The account of each address that has or had one: an active one if there is any. */
export const listPeopleByEmail = async (db: Db, emails: readonly string[]): Promise<Person[]> => {
  const { rows } =
    await sql<Person>`select distinct on (lower(u.email::text)) ${personColumns} from app_user u where not u.is_api_client
    and lower(u.email::text) = any(${[...emails]}::text[])
    order by lower(u.email::text), (u.status_code = 'ACT' and u.deleted_at is null) desc, u.id`.execute(db)
  return rows
}

/** The days that a sending covers, up to yesterday on the schedule's own clock: the day, the week, or the month before. */
export const findPeriod = async (db: Db, every: Schedule['every'], tz: string) => {
  const { rows } = await sql<{ from: string; to: string }>`
    select (case ${every}::text when 'DAY' then t - 1 when 'WEEK' then t - 7 else date_trunc('month', t - interval '1 month')::date end)::text as "from",
      (case ${every}::text when 'MONTH' then date_trunc('month', t)::date - 1 else t - 1 end)::text as "to"
    from (select (now() at time zone ${tz}::text)::date as t) x`.execute(db)
  return rows[0] as { from: string; to: string }
}
