import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import type { ResultCells } from '@lis/contract/results/engine.ts'
import { isSameUnit, type Sex, type TestRules } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { failReason } from '../requisition-record/put-aside.ts'
import { isRequisitionFailed } from '../requisition-record/queries.ts'
import { unitOf } from './rule-book.ts'
import { storeRules } from './stored-rules.ts'

/** A current test of a requisition (not replaced by a retest) with what its rules need to know. */
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
  /** By which the result was interpreted; null where there is none, and for those of before the rules were kept. */
  rulesId: number | null
  /** Separated by commas; null when the test has none. */
  failCodes: string | null
  status: StatusCode
  collaboratorId: number
  patientId: number
  sex: Sex | null
}

type TestRow = Omit<StoredTest, keyof OrderRow | 'failCodes'>
type OrderRow = Pick<StoredTest, 'status' | 'collaboratorId' | 'patientId' | 'sex'>

/** Tests, orders and fail codes are asked for apart: joined, each order and its patient would be looked up once per test. */
export const loadTests = async (trx: Trx, requisitionIds: readonly number[]): Promise<StoredTest[]> => {
  const ids = [...requisitionIds]
  const { rows: orders } = await sql<OrderRow & { id: number }>`
    select r.id, r.status_code as status, r.collaborator_id as "collaboratorId", r.patient_id as "patientId",
      case when p.gender_code in ('MALE', 'FEMALE') then p.gender_code end as sex
    from requisition r join patient p on p.id = r.patient_id where r.id = any(${ids}::bigint[])`.execute(trx)
  const { rows: tests } = await sql<TestRow>`
    select rt.id, rt.requisition_id as "requisitionId", rt.test_id as "testId", t.code as "testCode", t.result_key as "resultKey",
      t.is_calculated as "isCalculated", rt.result, rt.reportable_result as reportable, rt.interpretation, rt.comment, rt.reagent,
      rt.process_date as "processDate", rt.is_modifiable as "isModifiable", rt.retest_of_id as "retestOfId", rt.version,
      rt.rules_id as "rulesId"
    from requisition_test rt join test t on t.id = rt.test_id
    where rt.requisition_id = any(${ids}::bigint[]) and rt.deleted_at is null and not rt.is_retest
    order by rt.requisition_id, t.sort_order, rt.id`.execute(trx)
  const { rows: failed } = await sql<{ id: number; codes: string }>`
    select x.requisition_test_id as id, string_agg(re.code, ', ' order by re.code) as codes
    from requisition_test_reason x join reason re on re.id = x.reason_id and re.type_code = 'FAIL'
    where x.requisition_test_id = any(${tests.map(({ id }) => id)}::bigint[]) group by 1`.execute(trx)
  const orderOf = new Map(orders.map(({ id, ...order }) => [id, order]))
  const codesOf = new Map(failed.map(({ id, codes }) => [id, codes]))
  return tests.flatMap((test) => {
    const order = orderOf.get(test.requisitionId)
    return order ? [{ ...test, ...order, failCodes: codesOf.get(test.id) ?? null }] : []
  })
}

export interface EarlierResult {
  value: string
  /** Whole days between the two process dates. */
  daysAgo: number
  reqId: number
  processDate: string
}

interface Asked {
  id: number
  requisitionId: number
  patientId: number
  testId: number
  /** When this one was processed; now, when not said. */
  at: string | null
  withinDays: number
  units: string | null
}

const dayMs = 86_400_000

/**
 * Rule 6: the patient's latest earlier numeric result of the same test, by process date, on another requisition. All patients are asked
 * for at once and the latest is picked here: one search per result would take longer than everything else of a large load.
 */
export const findEarlierResults = async (trx: Trx, asked: readonly Asked[]): Promise<Map<number, EarlierResult>> => {
  if (asked.length === 0) return new Map()
  const now = Date.now()
  const timeOf = ({ at }: Pick<Asked, 'at'>) => (at === null ? now : Date.parse(at))
  const since = new Date(Math.min(...asked.map((one) => timeOf(one) - (one.withinDays + 1) * dayMs))).toISOString()
  const { rows } = await sql<
    Omit<EarlierResult, 'daysAgo'> & { patientId: number; testId: number; units: string | null }
  >`
    select q.patient_id as "patientId", x.test_id as "testId", x.result as value, q.id as "reqId", x.process_date as "processDate",
      ${unitOf(sql`q.collaborator_id`, sql`x.test_id`)} as units
    from requisition q join requisition_test x on x.requisition_id = q.id
    where q.patient_id = any(${[...new Set(asked.map(({ patientId }) => patientId))]}::bigint[]) and q.deleted_at is null
      and x.test_id = any(${[...new Set(asked.map(({ testId }) => testId))]}::int[]) and x.deleted_at is null and not x.is_retest
      and x.result_num is not null and x.process_date > ${since} and not ${isRequisitionFailed(sql`q.id`)}
    order by x.process_date desc, x.id desc`.execute(trx)
  const results = Map.groupBy(rows, ({ patientId, testId }) => `${patientId} ${testId}`)
  const found = new Map<number, EarlierResult>()
  for (const one of asked) {
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

/** A result that the test of a requisition holds or has held, also where a retest took its place or it was taken off and ordered anew. */
export interface PastResult {
  requisitionId: number
  testId: number
  result: string
  processDate: string
}

/** All results that these tests of their requisitions have held before the one they hold now. */
export const findPastResults = async (
  trx: Trx,
  asked: readonly Pick<StoredTest, 'requisitionId' | 'testId'>[],
): Promise<PastResult[]> => {
  if (asked.length === 0) return []
  const { rows } = await sql<PastResult>`
    with asked as materialized (
      select rt.id, rt.requisition_id, rt.test_id, rt.result, rt.process_date, rt.is_retest or rt.deleted_at is not null as is_former
      from unnest(${asked.map(({ requisitionId }) => requisitionId)}::bigint[], ${asked.map(({ testId }) => testId)}::int[]) as n(requisition_id, test_id)
      join requisition_test rt on rt.requisition_id = n.requisition_id and rt.test_id = n.test_id)
    select a.requisition_id as "requisitionId", a.test_id as "testId", a.result, a.process_date as "processDate"
    from asked a where a.is_former and a.result is not null and a.process_date is not null
    union all
    select a.requisition_id, a.test_id, v.result, coalesce(v.process_date, a.process_date)
    from asked a join requisition_test_revision v on v.requisition_test_id = a.id
    where v.result is not null and coalesce(v.process_date, a.process_date) is not null`.execute(trx)
  return rows
}

/** The tests of these requisitions that were taken off: ordered anew, they are new rows with a past. */
export const findRemovedTests = async (
  trx: Trx,
  requisitionIds: readonly number[],
): Promise<Pick<StoredTest, 'requisitionId' | 'testId'>[]> => {
  const { rows } = await sql<Pick<StoredTest, 'requisitionId' | 'testId'>>`
    select requisition_id as "requisitionId", test_id as "testId" from requisition_test
    where requisition_id = any(${[...requisitionIds]}::bigint[]) and deleted_at is not null`.execute(trx)
  return rows
}

/** The results that fail codes have put aside, by test, unless something else has happened since. */
export const findResultsClearedByFailCode = async (trx: Trx, ids: readonly number[]): Promise<Map<number, string>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: number; result: string | null; reason: string | null }>`
    select distinct on (requisition_test_id) requisition_test_id as id, result, reason from requisition_test_revision
    where requisition_test_id = any(${[...ids]}::bigint[]) order by requisition_test_id, requisition_test_revision.id desc`.execute(
    trx,
  )
  return new Map(
    rows.flatMap(({ id, result, reason }) => (result !== null && reason?.startsWith(failReason) ? [[id, result]] : [])),
  )
}

/** What a test holds after a write, and why the old value went. */
export interface ResultChange extends ResultCells {
  test: StoredTest
  processDate: string | null
  reagent: string | null
  reason: string
  /** By which it was interpreted, where these are not the ones that hold now. */
  rules?: TestRules
  /** Only what the result means has changed: who entered it, when, and whether its modification is open stay. */
  isEntryKept?: boolean
}

/** A result takes the place of fail codes. */
export const replacesFailCodes = ({ test, result }: ResultChange) => test.failCodes !== null && result !== null

/** Stores results in a few statements, however many there are; what they replace is kept as a revision. */
export const writeChanges = async (
  trx: Trx,
  userId: number,
  changes: readonly (ResultChange & { rules: TestRules })[],
): Promise<Map<number, number>> => {
  if (changes.length === 0) return new Map()
  const ids = changes.map(({ test }) => test.id)
  const replaced = changes.filter(({ test }) => test.reportable !== null)
  if (replaced.length > 0) await keepRevisions(trx, userId, replaced)
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
      resulted_by = case when n.is_kept then t.resulted_by when n.reportable is not null then ${userId}::int end
    from unnest(${ids}::bigint[], ${changes.map(({ result }) => result)}::text[], ${changes.map(({ resultNum }) => resultNum)}::numeric[],
      ${changes.map(({ reportable }) => reportable)}::text[], ${changes.map(({ interpretation }) => interpretation)}::text[],
      ${changes.map(({ comment }) => comment)}::text[], ${changes.map(({ reagent }) => reagent)}::text[],
      ${changes.map(({ processDate }) => processDate)}::timestamptz[], ${changes.map(({ isEntryKept = false }) => isEntryKept)}::boolean[],
      ${rulesIds}::int[]) as n(id, result, result_num, reportable, interpretation, comment, reagent, process_date, is_kept, rules_id)
    where t.id = n.id returning t.id, t.version`.execute(trx)
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** For results that mean the same by other rules: only the rules are other ones, nothing has been replaced. */
export const updateRulesIds = async (trx: Trx, judged: readonly { test: StoredTest; rules: TestRules }[]) => {
  const ids = await storeRules(
    trx,
    judged.map(({ rules }) => rules),
  )
  await sql`update requisition_test t set rules_id = n.rules_id
    from unnest(${judged.map(({ test }) => test.id)}::bigint[], ${ids}::int[]) as n(id, rules_id)
    where t.id = n.id and t.rules_id is distinct from n.rules_id`.execute(trx)
}

const keepRevisions = (trx: Trx, userId: number, changes: readonly ResultChange[]) =>
  sql`insert into requisition_test_revision (requisition_test_id, result, reportable_result, interpretation, process_date, replaced_by, reason)
    select * from unnest(${changes.map(({ test }) => test.id)}::bigint[], ${changes.map(({ test }) => test.result)}::text[],
      ${changes.map(({ test }) => test.reportable)}::text[], ${changes.map(({ test }) => test.interpretation)}::text[],
      ${changes.map(({ test }) => test.processDate)}::timestamptz[],
      ${changes.map(() => userId)}::int[], ${changes.map(({ reason }) => reason)}::text[])`.execute(trx)

const removeFailCodes = (trx: Trx, ids: readonly number[]) =>
  sql`delete from requisition_test_reason x using reason r where r.id = x.reason_id and r.type_code = 'FAIL'
    and x.requisition_test_id = any(${[...ids]}::bigint[])`.execute(trx)
