import type { CriticalCall, CriticalLimit } from '@lis/contract/critical-calls.ts'
import { sql } from 'kysely'
import { requireDays } from '../../platform/date-filter.ts'
import type { Db } from '../../platform/db/db.ts'
import { flag01, flag01OrNull } from '../../platform/db/expressions.ts'
import { rowsAsOf } from '../../platform/db/rows-as-of.ts'
import { endOfHomeDay, type OneOrDay } from '../../platform/home-zone.ts'
import { findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { normalizedUnit } from '../lab-tests/queries.ts'
import { unitOf } from '../lab-tests/rule-book.ts'
import { isRequisitionFailed } from '../requisition-record/queries.ts'

export const listLimits = async (db: Db, { id = null, asOf }: OneOrDay = {}): Promise<CriticalLimit[]> => {
  const { rows } = await sql<CriticalLimit>`
    select l.id, l.version, t.code as "testCode", l.sex_code as "sexCode", l.age_from as "ageFrom", l.age_to as "ageTo",
      l.collaborator_id as "colaId", l.lo::text, l.hi::text, l.call_minutes as "callMinutes"
    from ${rowsAsOf('critical_limit', 'l', endOfHomeDay(asOf))} join test t on t.id = l.test_id
    where l.deleted_at is null and (${id}::bigint is null or l.id = ${id}::bigint) order by t.code, l.id`.execute(db)
  return rows
}

const from = sql`critical_call c join requisition r on r.id = c.requisition_id join requisition_patient p on p.requisition_id = r.id
  join client k on k.id = r.client_id join physician f on f.id = r.physician_id join lab on lab.id = r.lab_id join test t on t.id = c.test_id
  left join app_user taken on taken.id = c.taken_by left join app_user closed on closed.id = c.closed_by`

/** The practice's numbers, with the ordering physician's name. */
const contacts = sql`(select coalesce(json_agg(json_build_object('name', x.name, 'role', x.role, 'phone', x.phone)), '[]') from (values
    (f.last_name || ', ' || f.first_name || ' (' || k.name || ')', 'Ordering physician', k.phone), (k.name, 'Practice, second number', k.phone2)) as x(name, role, phone)
  where x.phone is not null)`

const attempts = sql`(select coalesce(json_agg(json_build_object('id', a.id, 'outcome', a.outcome, 'calledTo', a.called_to, 'role', a.role, 'phone', a.phone,
    'calledAt', a.called_at, 'readBack', a.read_back, 'readBackOk', ${flag01OrNull(sql`a.is_read_back_ok`)}, 'note', a.note, 'calledBy', a.created_by_name)
  order by a.id), '[]') from critical_attempt a where a.call_id = c.id)`

const unit = (requisition: 'q' | 'r') =>
  normalizedUnit(unitOf(sql.ref(`${requisition}.collaborator_id`), sql`x.test_id`))
const trend = sql`(select coalesce(json_agg(json_build_object('value', e.result, 'at', e.process_date) order by e.process_date desc, e.id desc), '[]')
  from (select x.id, x.result, x.process_date from requisition q join requisition_test x on x.requisition_id = q.id and x.test_id = c.test_id
    where q.patient_id = r.patient_id and q.id <> r.id and q.deleted_at is null and x.deleted_at is null and not x.is_retest and x.result is not null
      and x.process_date < c.raised_at and not ${isRequisitionFailed(sql`q.id`)} and ${unit('q')} is not distinct from ${unit('r')}
    order by x.process_date desc, x.id desc limit 8) e)`

/** Open calls first, by the time that is left. */
export const callList: ListDefinition = {
  from,
  where: [sql`r.deleted_at is null`],
  fields: {
    id: sql`c.id`,
    version: sql`c.version`,
    reqId: sql`r.id`,
    reqTestId: sql`c.requisition_test_id`,
    patientId: sql`r.patient_id`,
    patientName: sql`p.last_name || ', ' || p.first_name`,
    patientDob: sql`p.dob`,
    clientName: sql`k.name`,
    testCode: sql`t.code`,
    testDesc: sql`t.description`,
    value: sql`c.value`,
    units: sql`c.units`,
    replacesValue: sql`c.replaces_value`,
    isCritical: flag01(sql`c.is_critical`),
    lo: sql`c.lo::text`,
    hi: sql`c.hi::text`,
    raisedAt: sql`c.raised_at`,
    dueAt: sql`c.due_at`,
    state: sql`c.state`,
    isLate: flag01(sql`c.state <> 'SUPERSEDED' and coalesce(c.closed_at, now()) > c.due_at`),
    escalation: sql`c.escalation`,
    takenById: sql`c.taken_by`,
    takenByName: sql`taken.first_name || ' ' || taken.last_name`,
    trend,
    contacts,
    attempts,
    closedAt: sql`c.closed_at`,
    closedByName: sql`closed.first_name || ' ' || closed.last_name`,
    closeReason: sql`c.close_reason`,
  },
  filter: {
    id: isOneOfIds(sql`c.id`, 'id'),
    state: isOneOf(sql`c.state`),
    reqId: isOneOfIds(sql`r.id`, 'reqId'),
    patientId: isOneOfIds(sql`r.patient_id`, 'patientId'),
    testCode: isOneOf(sql`t.code`),
    closedAt: (value) => {
      const { from: first, to: last } = requireDays('closedAt', value)
      return sql`(c.closed_at at time zone lab.zone)::date between ${first}::date and ${last}::date`
    },
  },
  defaultOrder: sql`case when c.state in ('OPEN', 'TAKEN') then 0 else 1 end, case when c.state in ('OPEN', 'TAKEN') then c.due_at end, c.id desc`,
  key: sql`c.id`,
}

export const findCall = (db: Db, id: number) => findRow<CriticalCall>(db, callList, id)
