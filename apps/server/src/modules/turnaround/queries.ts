import type { Calendar, CalendarInput, Target, TargetInput } from '@lis/contract/turnaround.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'

export const targetList: ListDefinition = {
  from: sql`tat_target t left join lab on lab.id = t.lab_id left join test on test.id = t.test_id left join panel on panel.id = t.panel_id`,
  where: [sql`t.deleted_at is null`],
  fields: {
    id: sql`t.id`,
    version: sql`t.version`,
    labId: sql`t.lab_id`,
    labName: sql`lab.name`,
    testId: sql`t.test_id`,
    testCode: sql`test.code`,
    panelId: sql`t.panel_id`,
    panelCode: sql`panel.code`,
    priority: sql`t.priority`,
    targetHours: sql`t.target_hours::float8`,
    isWorkingTime: flag01(sql`t.is_working_time`),
  },
  sort: { labId: sql`lower(lab.name)`, testId: sql`test.code`, panelId: sql`panel.code` },
  filter: {
    id: isOneOfIds(sql`t.id`, 'id'),
    labId: isOneOfIds(sql`t.lab_id`, 'labId'),
    testId: isOneOfIds(sql`t.test_id`, 'testId'),
    panelId: isOneOfIds(sql`t.panel_id`, 'panelId'),
    priority: isOneOf(sql`t.priority`),
    isWorkingTime: isOneOf(flag01(sql`t.is_working_time`)),
  },
  defaultOrder: sql`t.id`,
  key: sql`t.id`,
}

export const findTarget = (db: Db, id: number) => findRow<Target>(db, targetList, id)

export const targetColumns = (input: TargetInput) => ({
  lab_id: input.labId,
  test_id: input.testId,
  panel_id: input.panelId,
  priority: input.priority,
  target_hours: String(input.targetHours),
  is_working_time: input.isWorkingTime === 1,
})

/** Which of the records that a target names exist. */
export const findNamed = (db: Db, { labId, testId, panelId }: TargetInput) =>
  db
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('lab').select('id').where('id', '=', labId).where('deleted_at', 'is', null)).as('labId'),
      exists(selectFrom('test').select('id').where('id', '=', testId)).as('testId'),
      exists(selectFrom('panel').select('id').where('id', '=', panelId).where('deleted_at', 'is', null)).as('panelId'),
    ])
    .executeTakeFirstOrThrow()

/** Another target for the same. */
export const findSameTarget = async (db: Db, input: TargetInput, exceptId: number): Promise<boolean> => {
  const { rows } =
    await sql`select from tat_target where deleted_at is null and id <> ${exceptId}::int and priority = ${input.priority}
    and (lab_id, test_id, panel_id) is not distinct from (${input.labId}::int, ${input.testId}::int, ${input.panelId}::int)`.execute(
      db,
    )
  return rows.length > 0
}

/** As migration 0120 has it, where a laboratory has no row. */
const usualCalendar: CalendarInput = { workDays: [1, 2, 3, 4, 5], opens: '08:00', closes: '17:00', holidays: [] }

export const findCalendar = async (db: Db, labId: number): Promise<Calendar> => {
  const { rows } = await sql<{ calendar: Calendar }>`
    select json_build_object('id', lab_id, 'workDays', work_days, 'opens', to_char(opens, 'HH24:MI'), 'closes', to_char(closes, 'HH24:MI'),
      'holidays', holidays, 'version', version) as calendar
    from lab_calendar where lab_id = ${labId}`.execute(db)
  const calendar = rows[0]?.calendar
  // to_char prints midnight at the end of a day as 00:00.
  if (calendar) return calendar.closes === '00:00' ? { ...calendar, closes: '24:00' } : calendar
  return { id: labId, ...usualCalendar, version: 0 }
}

export const storeCalendar = (trx: Trx, labId: number, { workDays, opens, closes, holidays }: CalendarInput) =>
  sql`insert into lab_calendar as c (lab_id, work_days, opens, closes, holidays)
    values (${labId}, ${workDays}::int[], ${opens}::time, ${closes}::time, ${holidays}::date[])
    on conflict (lab_id) do update set work_days = excluded.work_days, opens = excluded.opens, closes = excluded.closes,
      holidays = excluded.holidays, version = c.version + 1`.execute(trx)
