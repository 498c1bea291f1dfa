import type { CriticalCall, CriticalLimit } from '@lis/contract/critical-calls.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01, flag01OrNull } from '../../platform/db/expressions.ts'
import { JsonText } from '../../platform/http/json-text.ts'

export const listLimits = async (db: Db, id: number | null = null): Promise<CriticalLimit[]> => {
  const { rows } = await sql<CriticalLimit>`
    select l.id, l.version, t.code as "testCode", l.sex_code as "sexCode", l.age_from as "ageFrom", l.age_to as "ageTo",
      l.collaborator_id as "colaId", l.lo::text, l.hi::text, l.call_minutes as "callMinutes"
    from critical_limit l join test t on t.id = l.test_id
    where l.deleted_at is null and (${id}::bigint is null or l.id = ${id}::bigint) order by t.code, l.id`.execute(db)
  return rows
}

const from = sql`critical_call c join requisition r on r.id = c.requisition_id join requisition_patient p on p.requisition_id = r.id
  join client k on k.id = r.client_id join physician f on f.id = r.physician_id join test t on t.id = c.test_id
  left join app_user taken on taken.id = c.taken_by left join app_user closed on closed.id = c.closed_by`

/** The practice's numbers, with the ordering physician's name. */
const contacts = sql`(select coalesce(json_agg(json_build_object('name', x.name, 'role', x.role, 'phone', x.phone)), '[]') from (values
    (f.last_name || ', ' || f.first_name || ' (' || k.name || ')', 'Ordering physician', k.phone), (k.name, 'Practice, second number', k.phone2)) as x(name, role, phone)
  where x.phone is not null)`

const attempts = sql`(select coalesce(json_agg(json_build_object('id', a.id, 'outcome', a.outcome, 'calledTo', a.called_to, 'role', a.role, 'phone', a.phone,
    'calledAt', a.called_at, 'readBack', a.read_back, 'readBackOk', ${flag01OrNull(sql`a.is_read_back_ok`)}, 'note', a.note, 'calledBy', a.created_by_name)
  order by a.id), '[]') from critical_attempt a where a.call_id = c.id)`

const fields = sql`c.id, c.version, r.id as "reqId", c.requisition_test_id as "reqTestId", r.patient_id as "patientId",
  p.last_name || ', ' || p.first_name as "patientName", p.dob as "patientDob", k.name as "clientName", t.code as "testCode",
  t.description as "testDesc", c.value, c.units, c.replaces_value as "replacesValue", ${flag01(sql`c.is_critical`)} as "isCritical",
  c.lo::text, c.hi::text, c.raised_at as "raisedAt", c.due_at as "dueAt", c.state,
  ${flag01(sql`c.state <> 'SUPERSEDED' and coalesce(c.closed_at, now()) > c.due_at`)} as "isLate", c.escalation,
  taken.first_name || ' ' || taken.last_name as "takenByName", ${contacts} as contacts, ${attempts} as attempts,
  c.closed_at as "closedAt", closed.first_name || ' ' || closed.last_name as "closedByName", c.close_reason as "closeReason"`

export const findCall = async (db: Db, id: number): Promise<CriticalCall | undefined> => {
  const { rows } = await sql<{ row: CriticalCall }>`
    select row_to_json(x) as row from (select ${fields} from ${from} where c.id = ${id}::bigint and r.deleted_at is null) x`.execute(
    db,
  )
  return rows[0]?.row
}

interface CallQuery {
  state: CriticalCall['state'] | null
  reqId: number | null
  page: number
  perPage: number
}

export const callPage = async (db: Db, { state, reqId, page, perPage }: CallQuery): Promise<JsonText> => {
  const where = sql`r.deleted_at is null and (${state}::text is null or c.state = ${state}::text)
    and (${reqId}::bigint is null or c.requisition_id = ${reqId}::bigint)`
  const { rows } = await sql<{ data: string; total: number }>`
    select (select coalesce(json_agg(x), '[]')::text from (select ${fields} from ${from} where ${where}
        order by case when c.state in ('OPEN', 'TAKEN') then 0 else 1 end, case when c.state in ('OPEN', 'TAKEN') then c.due_at end, c.id desc
        limit ${perPage} offset ${(page - 1) * perPage}) x) as data,
      (select count(*)::int from critical_call c join requisition r on r.id = c.requisition_id where ${where}) as total`.execute(
    db,
  )
  const { data, total } = rows[0] as { data: string; total: number }
  return new JsonText(`{"data":${data},"total":${total},"message":""}`)
}
