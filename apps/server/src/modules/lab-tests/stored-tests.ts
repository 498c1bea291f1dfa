import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import type { ResultCells } from '@lis/contract/results/engine.ts'
import { isSameUnit, type Sex, type TestRules } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { failReason } from '../requisition-record/put-aside.ts'
import { isRequisitionFailed } from '../requisition-record/queries.ts'
import { unitOf } from './rule-book.ts'
import { storeRules } from './stored-rules.ts'

/** A current test of a requisition (not replaced by a retest) with the inputs of its rules. */
export interface StoredTest {
  id: number
  requisitionId: number
  testId: number
  testCode: string
  resultKey: string
  isCalculated: boolean
  result: string | null
  reportable: string | null
  interpretation: string | null
  comment: string | null
  reagent: string | null
  processDate: string | null
  isModifiable: boolean
  retestOfId: number | null
  version: number
  /** The rules by which the result was interpreted; null without a result, and for results from before rules were stored. */
  rulesId: number | null
  /** Separated by commas; null when the test has none. */
  failCodes: string | null
  status: StatusCode
  collaboratorId: number
  patientId: number
  sex: Sex | null
}

export const sexOf = (genderCode: string | undefined): Sex | null =>
  genderCode === 'MALE' || genderCode === 'FEMALE' ? genderCode : null

/** Three queries, because a join would look up each requisition and its patient once per test. */
export const loadTests = async (trx: Trx, requisitionIds: readonly number[]): Promise<StoredTest[]> => {
  const requisitions = await trx
    .selectFrom('requisition as r')
    .innerJoin('patient as p', 'p.id', 'r.patient_id')
    .select((eb) => [
      'r.id',
      eb.ref('r.status_code').$castTo<StatusCode>().as('status'),
      'r.collaborator_id as collaboratorId',
      'r.patient_id as patientId',
      'p.gender_code',
    ])
    .where('r.id', '=', anyId(requisitionIds))
    .execute()
  const tests = await trx
    .selectFrom('requisition_test as rt')
    .innerJoin('test as t', 't.id', 'rt.test_id')
    .select([
      'rt.id',
      'rt.requisition_id as requisitionId',
      'rt.test_id as testId',
      't.code as testCode',
      't.result_key as resultKey',
      't.is_calculated as isCalculated',
      'rt.result',
      'rt.reportable_result as reportable',
      'rt.interpretation',
      'rt.comment',
      'rt.reagent',
      'rt.process_date as processDate',
      'rt.is_modifiable as isModifiable',
      'rt.retest_of_id as retestOfId',
      'rt.version',
      'rt.rules_id as rulesId',
    ])
    .where('rt.requisition_id', '=', anyId(requisitionIds))
    .where('rt.deleted_at', 'is', null)
    .where((eb) => eb.not('rt.is_retest'))
    .orderBy('rt.requisition_id')
    .orderBy('t.sort_order')
    .orderBy('rt.id')
    .execute()
  const failed = await trx
    .selectFrom('requisition_test_reason as x')
    .innerJoin('reason as re', (join) =>
      join.onRef('re.id', '=', 'x.reason_id').on('re.type_code', '=', sql.lit('FAIL')),
    )
    .select((eb) => [
      'x.requisition_test_id as id',
      eb.fn
        .agg<string>('string_agg', ['re.code', sql.lit(', ')])
        .orderBy('re.code')
        .as('codes'),
    ])
    .where('x.requisition_test_id', '=', anyId(tests.map(({ id }) => id)))
    .groupBy('x.requisition_test_id')
    .execute()
  const requisitionsById = new Map(
    requisitions.map(({ id, gender_code, ...requisition }) => [id, { ...requisition, sex: sexOf(gender_code) }]),
  )
  const failCodes = new Map(failed.map(({ id, codes }) => [id, codes]))
  return tests.flatMap((test) => {
    const requisition = requisitionsById.get(test.requisitionId)
    return requisition ? [{ ...test, ...requisition, failCodes: failCodes.get(test.id) ?? null }] : []
  })
}

export interface EarlierResult {
  value: string
  /** Full days between the two process dates. */
  daysAgo: number
  reqId: number
  processDate: string
}

interface EarlierQuery {
  id: number
  requisitionId: number
  patientId: number
  testId: number
  /** When this one was processed; null means now. */
  at: string | null
  withinDays: number
  units: string | null
}

const dayMs = 86_400_000

/**
 * Rule 6: the patient's latest earlier numeric result of the same test, by process date, on another requisition. One query for all, and
 * the latest is picked here: one query per result would take longer than everything else of a large load.
 */
export const findEarlierResults = async (
  trx: Trx,
  queries: readonly EarlierQuery[],
): Promise<Map<number, EarlierResult>> => {
  if (queries.length === 0) return new Map()
  const now = Date.now()
  const timeOf = ({ at }: Pick<EarlierQuery, 'at'>) => (at === null ? now : Date.parse(at))
  const since = new Date(Math.min(...queries.map((one) => timeOf(one) - (one.withinDays + 1) * dayMs))).toISOString()
  const rows = await trx
    .selectFrom('requisition as q')
    .innerJoin('requisition_test as x', 'x.requisition_id', 'q.id')
    .select((eb) => [
      'q.patient_id as patientId',
      'x.test_id as testId',
      eb.ref('x.result').$notNull().as('value'),
      'q.id as reqId',
      eb.ref('x.process_date').$notNull().as('processDate'),
      sql<string | null>`${unitOf(sql`q.collaborator_id`, sql`x.test_id`)}`.as('units'),
    ])
    .where('q.patient_id', '=', anyId([...new Set(queries.map(({ patientId }) => patientId))]))
    .where('q.deleted_at', 'is', null)
    .where('x.test_id', '=', anyId([...new Set(queries.map(({ testId }) => testId))]))
    .where('x.deleted_at', 'is', null)
    .where((eb) => eb.not('x.is_retest'))
    .where('x.result_num', 'is not', null)
    .where('x.process_date', '>', since)
    .where((eb) => eb.not(isRequisitionFailed(sql`q.id`)))
    .orderBy('x.process_date', 'desc')
    .orderBy('x.id', 'desc')
    .execute()
  const results = Map.groupBy(rows, ({ patientId, testId }) => `${patientId} ${testId}`)
  const found = new Map<number, EarlierResult>()
  for (const one of queries) {
    const at = timeOf(one)
    const latest = results
      .get(`${one.patientId} ${one.testId}`)
      ?.find(
        ({ reqId, processDate, units }) =>
          reqId !== one.requisitionId && Date.parse(processDate) < at && isSameUnit(units, one.units),
      )
    if (latest) found.set(one.id, { ...latest, daysAgo: Math.floor((at - Date.parse(latest.processDate)) / dayMs) })
  }
  return found
}

/** A current or former result of a test of a requisition, also of a retested or removed one. */
export interface PastResult {
  requisitionId: number
  testId: number
  result: string
  processDate: string
}

/** All former results of these tests, without the current ones. */
export const findPastResults = async (
  trx: Trx,
  tests: readonly Pick<StoredTest, 'requisitionId' | 'testId'>[],
): Promise<PastResult[]> => {
  if (tests.length === 0) return []
  const { rows } = await sql<PastResult>`
    with tested as materialized (
      select rt.id, rt.requisition_id, rt.test_id, rt.result, rt.process_date, rt.is_retest or rt.deleted_at is not null as is_former
      from unnest(${tests.map(({ requisitionId }) => requisitionId)}::bigint[], ${tests.map(({ testId }) => testId)}::int[]) as n(requisition_id, test_id)
      join requisition_test rt on rt.requisition_id = n.requisition_id and rt.test_id = n.test_id)
    select a.requisition_id as "requisitionId", a.test_id as "testId", a.result, a.process_date as "processDate"
    from tested a where a.is_former and a.result is not null and a.process_date is not null
    union all
    select a.requisition_id, a.test_id, v.result, coalesce(v.process_date, a.process_date)
    from tested a join requisition_test_revision v on v.requisition_test_id = a.id
    where v.result is not null and coalesce(v.process_date, a.process_date) is not null`.execute(trx)
  return rows
}

/** Tests that were removed from these requisitions; ordered again they are new rows, but have former results. */
export const findRemovedTests = (
  trx: Trx,
  requisitionIds: readonly number[],
): Promise<Pick<StoredTest, 'requisitionId' | 'testId'>[]> =>
  trx
    .selectFrom('requisition_test')
    .select(['requisition_id as requisitionId', 'test_id as testId'])
    .where('requisition_id', '=', anyId(requisitionIds))
    .where('deleted_at', 'is not', null)
    .execute()

/** By test, the results that fail codes have cleared, if that was the last change of the result. */
export const findResultsClearedByFailCode = async (trx: Trx, ids: readonly number[]): Promise<Map<number, string>> => {
  if (ids.length === 0) return new Map()
  const rows = await trx
    .selectFrom('requisition_test_revision as v')
    .distinctOn('v.requisition_test_id')
    .select(['v.requisition_test_id as id', 'v.result', 'v.reason'])
    .where('v.requisition_test_id', '=', anyId(ids))
    .orderBy('v.requisition_test_id')
    .orderBy('v.id', 'desc')
    .execute()
  return new Map(
    rows.flatMap(({ id, result, reason }) => (result !== null && reason?.startsWith(failReason) ? [[id, result]] : [])),
  )
}

/** The instrument that measured a result, and the result as it was sent. */
export interface ResultSource {
  instrumentId: number
  instrumentResultId: number
}

/** The new result of a test, and the reason for the change. */
export interface ResultChange extends ResultCells {
  test: StoredTest
  processDate: string | null
  reagent: string | null
  /** Null for a result that no instrument sent; undefined leaves what is stored. */
  source?: ResultSource | null
  reason: string
  /** The rules by which it was interpreted, if not the current ones. */
  rules?: TestRules
  /** Only the interpretation has changed: who entered the result, when, and whether it is open for modification stay. */
  isEntryKept?: boolean
}

export const replacesFailCodes = ({ test, result }: ResultChange) => test.failCodes !== null && result !== null

/** Stores any number of results in a few statements; replaced results become revisions. */
export const writeChanges = async (
  trx: Trx,
  userId: number,
  changes: readonly (ResultChange & { rules: TestRules })[],
): Promise<Map<number, number>> => {
  if (changes.length === 0) return new Map()
  const ids = changes.map(({ test }) => test.id)
  const replaced = changes.filter(({ test }) => test.reportable !== null)
  if (replaced.length > 0) await insertRevisions(trx, userId, replaced)
  const failed = changes.filter(replacesFailCodes)
  if (failed.length > 0)
    await removeFailCodes(
      trx,
      failed.map(({ test }) => test.id),
    )
  const rulesIds = await storeRules(
    trx,
    changes.map(({ rules, reportable }) => (reportable === null ? null : rules)),
  )
  const { rows } = await sql<{ id: number; version: number }>`
    update requisition_test t set result = n.result, result_num = n.result_num, reportable_result = n.reportable, interpretation = n.interpretation,
      comment = n.comment, reagent = n.reagent, process_date = n.process_date, is_modifiable = n.is_kept and t.is_modifiable, version = t.version + 1, rules_id = n.rules_id,
      resulted_at = case when n.is_kept then t.resulted_at when n.reportable is not null then now() end,
      resulted_by = case when n.is_kept then t.resulted_by when n.reportable is not null then ${userId}::int end,
      instrument_id = case when n.has_source then n.instrument_id else t.instrument_id end,
      instrument_result_id = case when n.has_source then n.instrument_result_id else t.instrument_result_id end
    from unnest(${ids}::bigint[], ${changes.map(({ result }) => result)}::text[], ${changes.map(({ resultNum }) => resultNum)}::numeric[],
      ${changes.map(({ reportable }) => reportable)}::text[], ${changes.map(({ interpretation }) => interpretation)}::text[],
      ${changes.map(({ comment }) => comment)}::text[], ${changes.map(({ reagent }) => reagent)}::text[],
      ${changes.map(({ processDate }) => processDate)}::timestamptz[], ${changes.map(({ isEntryKept = false }) => isEntryKept)}::boolean[],
      ${rulesIds}::int[], ${changes.map(({ source }) => source !== undefined)}::boolean[],
      ${changes.map(({ source }) => source?.instrumentId ?? null)}::int[], ${changes.map(({ source }) => source?.instrumentResultId ?? null)}::bigint[])
      as n(id, result, result_num, reportable, interpretation, comment, reagent, process_date, is_kept, rules_id, has_source, instrument_id, instrument_result_id)
    where t.id = n.id returning t.id, t.version`.execute(trx)
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** For results whose interpretation is the same by other rules: nothing is replaced. */
export const updateRulesIds = async (trx: Trx, results: readonly { test: StoredTest; rules: TestRules }[]) => {
  const ids = await storeRules(
    trx,
    results.map(({ rules }) => rules),
  )
  await sql`update requisition_test t set rules_id = n.rules_id
    from unnest(${results.map(({ test }) => test.id)}::bigint[], ${ids}::int[]) as n(id, rules_id)
    where t.id = n.id and t.rules_id is distinct from n.rules_id`.execute(trx)
}

/** Instrument and lot are still those of the replaced result. */
const insertRevisions = (trx: Trx, userId: number, changes: readonly ResultChange[]) =>
  sql`insert into requisition_test_revision (requisition_test_id, result, reportable_result, interpretation, process_date, replaced_by, reason,
      instrument_id, instrument_result_id, reagent)
    select n.*, t.instrument_id, t.instrument_result_id, t.reagent
    from unnest(${changes.map(({ test }) => test.id)}::bigint[], ${changes.map(({ test }) => test.result)}::text[],
      ${changes.map(({ test }) => test.reportable)}::text[], ${changes.map(({ test }) => test.interpretation)}::text[],
      ${changes.map(({ test }) => test.processDate)}::timestamptz[],
      ${changes.map(() => userId)}::int[], ${changes.map(({ reason }) => reason)}::text[])
      as n(id, result, reportable, interpretation, process_date, replaced_by, reason)
    join requisition_test t on t.id = n.id`.execute(trx)

const removeFailCodes = (trx: Trx, ids: readonly number[]) =>
  sql`delete from requisition_test_reason x using reason r where r.id = x.reason_id and r.type_code = 'FAIL'
    and x.requisition_test_id = any(${[...ids]}::bigint[])`.execute(trx)
