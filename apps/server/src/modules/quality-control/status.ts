import type { FilterValue, ListQuery } from '@lis/contract/kit/list-query.ts'
import type { QcLookback } from '@lis/contract/quality-control.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { JsonText } from '../../platform/http/json-text.ts'
import { isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { isMeasuredOn } from './lookbacks.ts'
import type { OfTest } from './queries.ts'

/** The value of a filter that is needed before the list applies it; anything but one value is refused there. */
const one = (value: FilterValue | undefined): string | null => (typeof value === 'string' ? value : null)

/**
 * Every test on an instrument that has a plan, runs or a code of an active instrument; if one test and instrument is requested, also without.
 * A test is due without a plan, without a run in control, if its newest run could not be evaluated, or if it was used for longer or for more
 * results than its plan allows.
 */
export const statusList = (query: ListQuery): ListDefinition => ({
  from: sql`(
    with known as (
      select instrument_id, test_id from qc_control where last_run_id is not null
      union select instrument_id, test_id from qc_plan
      union select k.instrument_id, k.test_id from instrument_code k join instrument i on i.id = k.instrument_id and i.is_active
        join test t on t.id = k.test_id and t.deleted_at is null
      union select i.id, t.id from instrument i, test t
        where i.id::text = ${one(query.filters.instrumentId)}::text and t.code = ${one(query.filters.testCode)}::text and i.deleted_at is null and t.deleted_at is null),
    facts as (
      select i.id as instrument_id, i.name, lab.zone, t.id as test_id, t.code, t.description, c.state, c.since, c.last_good_run_at, c.rejected_at,
        c.last_good_run_at + make_interval(hours => p.every_hours) as next_due_at,
        p.id is null or c.last_good_run_at is null or c.state = 'NOT_EVALUATED'
          or c.last_good_run_at + make_interval(hours => p.every_hours) <= now()
          or (p.every_results is not null and p.every_results <= (select count(*) from requisition_test rt join requisition r on r.id = rt.requisition_id
            where rt.test_id = t.id and rt.deleted_at is null and rt.reportable_result is not null
              and rt.process_date > c.last_good_run_at and ${isMeasuredOn(sql`c.last_good_run_at`)})) as is_due
      from known k join instrument i on i.id = k.instrument_id and i.deleted_at is null join lab on lab.id = i.lab_id join test t on t.id = k.test_id
      left join qc_control c on c.instrument_id = i.id and c.test_id = t.id left join qc_plan p on p.instrument_id = i.id and p.test_id = t.id)
    select f.*, case when f.state = 'OUT' then 'OUT' when f.is_due then 'DUE' else 'IN' end as control,
      case when f.state = 'OUT' or not f.is_due then f.since else f.next_due_at end as control_since,
      b.held, b.open
    from facts f cross join lateral (
      select (count(*) filter (where not l.is_released))::int as held, count(*)::int as open
      from qc_lookback l join qc_run q on q.id = l.qc_run_id
      where l.state = 'OPEN' and q.instrument_id = f.instrument_id and q.test_id = f.test_id) b) f`,
  where: [],
  fields: {
    instrumentId: sql`f.instrument_id`,
    instrumentName: sql`f.name`,
    testCode: sql`f.code`,
    testDesc: sql`f.description`,
    labZone: sql`f.zone`,
    state: sql`f.control`,
    since: sql`f.control_since`,
    lastGoodRunAt: sql`f.last_good_run_at`,
    nextDueAt: sql`f.next_due_at`,
    openActions: sql`case when f.state = 'OUT' and not exists (select from qc_action a
      where a.instrument_id = f.instrument_id and a.test_id = f.test_id and a.done_at >= f.rejected_at) then 1 else 0 end`,
    heldCount: sql`f.held`,
    lookBackCount: sql`f.open`,
  },
  filter: {
    instrumentId: isOneOfIds(sql`f.instrument_id`, 'instrumentId'),
    testCode: isOneOf(sql`f.code`),
    state: isOneOf(sql`f.control`),
  },
  defaultOrder: sql`case f.control when 'OUT' then 0 when 'DUE' then 1 else 2 end, f.name, f.code`,
  key: sql`(f.instrument_id, f.test_id)`,
})

interface LookbackQuery extends OfTest {
  state: QcLookback['state'] | null
  qcRunId: number | null
  reqId: number | null
  page: number
  perPage: number
}

export const lookbackPage = async (db: Db, query: LookbackQuery): Promise<JsonText> => {
  const { instrumentId, testCode, state, qcRunId, reqId, page, perPage } = query
  const from = sql`qc_lookback l join qc_run q on q.id = l.qc_run_id join test t on t.id = q.test_id
    join requisition r on r.id = l.requisition_id join requisition_patient p on p.requisition_id = r.id
    join requisition_test rt on rt.id = l.requisition_test_id left join app_user u on u.id = l.settled_by
    where (${instrumentId}::bigint is null or q.instrument_id = ${instrumentId}::bigint) and (${testCode}::text is null or t.code = ${testCode}::text)
      and (${state}::text is null or l.state = ${state}::text) and (${qcRunId}::bigint is null or l.qc_run_id = ${qcRunId}::bigint)
      and (${reqId}::bigint is null or l.requisition_id = ${reqId}::bigint)`
  const { rows } = await sql<{ data: string; total: number }>`
    select (select coalesce(json_agg(x), '[]')::text from (
        select l.id, l.qc_run_id as "qcRunId", q.instrument_id as "instrumentId", r.id as "reqId", l.requisition_test_id as "reqTestId",
          r.patient_id as "patientId", p.last_name || ', ' || p.first_name as "patientName", r.status_code as "reqStatusCode",
          t.code as "testCode", l.value, rt.process_date as "processDate", ${flag01(sql`l.is_released`)} as "isReleased", l.state, l.reason,
          l.settled_at as "settledAt", u.user_name as "settledBy"
        from ${from} order by case l.state when 'OPEN' then 0 else 1 end, l.id limit ${perPage} offset ${(page - 1) * perPage}) x) as data,
      (select count(*)::int from ${from}) as total`.execute(db)
  const { data, total } = rows[0] as { data: string; total: number }
  return new JsonText(`{"data":${data},"total":${total},"message":""}`)
}
