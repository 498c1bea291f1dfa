import { can } from '@lis/contract/access/permissions.ts'
import type { SettleInput } from '@lis/contract/quality-control.ts'
import { refusals } from '@lis/contract/requisitions/status.ts'
import { type RawBuilder, sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { conflict, forbidden, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { OutEpisode } from './control-state.ts'
import { findEndedEpisodes } from './episodes.ts'
import type { TestOnInstrument } from './references.ts'

/** The time of the result `rt` by our clock, if the clock of its instrument was wrong; null without an instrument. */
const correctedTime = sql`(select rt.process_date - make_interval(secs => o.clock_offset_sec) from instrument_result o where o.id = rt.instrument_result_id)`
/** A delayed message looks the same, so both times count. */
const latestTime = sql`greatest(rt.process_date, ${correctedTime})`
const earliestTime = sql`least(rt.process_date, ${correctedTime})`

/**
 * The result `rt` of requisition `r` was measured on instrument `i`. If the instrument is unknown (typed, from a file), it counts
 * for the only active instrument of the laboratory with control runs of the test.
 */
export const isMeasuredOn = (after: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  case when rt.instrument_id is not null then rt.instrument_id = i.id and (${after} is null or ${latestTime} > ${after})
  else rt.process_date > coalesce(${after}, i.created_at) and i.lab_id = r.lab_id and i.is_active and not exists (
    select from qc_control o join instrument other on other.id = o.instrument_id
    where o.test_id = rt.test_id and o.instrument_id <> i.id and other.lab_id = r.lab_id and other.is_active and other.deleted_at is null
      and o.last_run_id is not null) end`

/** A report of requisition `r` was released. */
export const isReleased = sql<boolean>`(r.status_code not in ('LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT')
  or exists (select from report p where p.requisition_id = r.id and p.deleted_at is null and p.first_release_at is not null))`

const hasResult = sql`rt.deleted_at is null and not rt.is_retest and rt.reportable_result is not null and r.deleted_at is null`

/** Lists every result measured since the last run in control for review, each value once per time out of control. */
export const addLookbacks = async (
  call: WriteCall,
  { instrumentId, testId }: TestOnInstrument,
  { runId, since, until }: OutEpisode,
  requisitionIds?: readonly number[],
) => {
  const { rows } = await sql<{ requisitionId: number; testCode: string; value: string }>`
    with added as (
      insert into qc_lookback (qc_run_id, requisition_id, requisition_test_id, value, is_released)
      select ${runId}::bigint, r.id, rt.id, rt.reportable_result, ${isReleased}
      from requisition_test rt join requisition r on r.id = rt.requisition_id join instrument i on i.id = ${instrumentId}::int
      where rt.test_id = ${testId}::int and ${hasResult} and ${isMeasuredOn(sql`${since}::timestamptz`)}
        and (${until}::timestamptz is null or ${earliestTime} < ${until}::timestamptz)
        and ${requisitionIds ? sql`r.id = ${anyId(requisitionIds)}` : sql`true`}
        and not exists (select from qc_lookback l join qc_run q on q.id = l.qc_run_id
          where l.requisition_test_id = rt.id and (l.state = 'OPEN' or (l.value is not distinct from rt.reportable_result
            and (${since}::timestamptz is null or q.ran_at > ${since}::timestamptz) and (${until}::timestamptz is null or q.ran_at < ${until}::timestamptz))))
      on conflict do nothing returning requisition_id, value)
    select added.requisition_id as "requisitionId", added.value, t.code as "testCode" from added cross join test t where t.id = ${testId}::int
    order by added.requisition_id`.execute(call.db)
  await recordAudit(
    call.db,
    call.actor,
    call.requestId,
    rows.map(({ requisitionId, testCode, value }) => ({
      entity: 'requisition',
      entityId: requisitionId,
      requisitionId,
      action: 'QC',
      reason: 'Quality control was rejected: to be looked at again',
      new: { [testCode]: value },
    })),
  )
}

/**
 * Lists results for review that are saved while their instrument is out of control, or that were measured while it was. Locks the state, so
 * that a rejection at the same moment sees them.
 */
export const addLookbacksOfNewResults = async (call: WriteCall, requisitionIds: readonly number[]) => {
  const { rows } = await sql<
    TestOnInstrument & { state: string; runId: number | null; since: string | null; earliest: string | null }
  >`
    select c.instrument_id as "instrumentId", c.test_id as "testId", c.state, c.rejected_run_id as "runId", c.last_good_run_at as since,
      (select min(${earliestTime}) from requisition_test rt join requisition r on r.id = rt.requisition_id
        where rt.requisition_id = ${anyId(requisitionIds)} and rt.test_id = c.test_id and ${hasResult}) as earliest
    from qc_control c where c.test_id in (select rt.test_id from requisition_test rt where rt.requisition_id = ${anyId(requisitionIds)})
    order by c.instrument_id, c.test_id for share of c`.execute(call.db)
  const measured = rows.flatMap(({ earliest, ...of }) => (earliest === null ? [] : [{ ...of, earliest }]))
  for (const { instrumentId, testId, ...episode } of await findEndedEpisodes(call.db, measured))
    await addLookbacks(call, { instrumentId, testId }, episode, requisitionIds)
  for (const { state, runId, since, ...of } of rows)
    if (state === 'OUT' && runId !== null) await addLookbacks(call, of, { runId, since, until: null }, requisitionIds)
}

/** Refuses to release reports of a requisition while one of its results is listed for review. */
export const requireQualityControlSettled = async (trx: Trx, requisitionId: number) => {
  const open = await trx
    .selectFrom('qc_lookback')
    .select('id')
    .where('requisition_id', '=', bigint(requisitionId))
    .where('state', '=', sql.lit('OPEN'))
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (open) throw conflict(refusals.qualityControlSettled(requisitionId))
}

/** Records the outcome of a review. Waiving it needs 'qc.release'. */
export const settleLookbacks = async (call: WriteCall, { ids, outcome, reason }: SettleInput) => {
  const { db, actor, requestId } = call
  if (outcome === 'WAIVED' && !can(actor.role, 'qc.release'))
    throw forbidden('Only an administrator or manager may release results without looking at them again')
  const rows = await db
    .selectFrom('qc_lookback as l')
    .innerJoin('requisition_test as rt', 'rt.id', 'l.requisition_test_id')
    .innerJoin('test as t', 't.id', 'rt.test_id')
    .select(['l.id', 'l.state', 'l.requisition_id as requisitionId', 't.code as testCode'])
    .where('l.id', '=', anyId(ids))
    .orderBy('l.id')
    .forUpdate('l')
    .execute()
  if (rows.length < ids.length) throw notFound('Result to be looked at again')
  const settled = rows.filter(({ state }) => state !== 'OPEN')
  if (settled.some(({ state }) => state !== outcome))
    throw conflict('Somebody else has already decided about one of these results')
  const open = rows.filter(({ state }) => state === 'OPEN')
  await db
    .updateTable('qc_lookback')
    .set({ state: outcome, reason, settled_by: actor.userId, settled_at: sql<string>`now()` })
    .where('id', '=', anyId(open.map(({ id }) => id)))
    .execute()
  await recordAudit(
    db,
    actor,
    requestId,
    open.map(({ requisitionId, testCode }) => ({
      entity: 'requisition',
      entityId: requisitionId,
      requisitionId,
      action: 'QC',
      ...(reason && { reason }),
      old: { [`${testCode} quality control`]: 'OPEN' },
      new: { [`${testCode} quality control`]: outcome },
    })),
  )
}
