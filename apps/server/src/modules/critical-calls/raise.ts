import { criticalTopic } from '@lis/contract/critical-calls.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { loadRuleBook } from '../lab-tests/rule-book.ts'
import { ageAtCollection } from '../requisition-record/age.ts'
import { calledValue, findLimit, isCritical, isSameValue, type Limit } from './critical.ts'

interface FinalResult {
  requisitionId: number
  reqTestId: number
  testId: number
  testCode: string
  collaboratorId: number
  result: string
  sex: string | null
  age: number | null
  /** The result before this one: a revision, or the test that was repeated. */
  before: string | null
  callId: number | null
  callValue: string | null
  callState: string | null
  wasCritical: boolean | null
}

/**
 * Raises a call for each result of these requisitions that is critical, or that corrects one that was. Called wherever a result
 * becomes final, whether typed, loaded or measured; a value that already has a call raises no other.
 */
export const raiseCriticalCalls = async (write: WriteCall, requisitionIds: readonly number[]) => {
  const { db } = write
  await supersedeFailed(write, requisitionIds)
  const results = await findFinalResults(db, requisitionIds)
  if (results.length === 0) return
  const limits = await listLimitsOf(db, [...new Set(results.map(({ testId }) => testId))])
  const book = await loadRuleBook(db, [...new Set(results.map(({ collaboratorId }) => collaboratorId))])
  for (const result of results) {
    const { digits, units } = book.of(result.collaboratorId, result.testId)
    const value = calledValue(result.result, digits)
    // The call of a failed test is superseded; with the fail code removed, its value is to be called again.
    const isCalled = result.callValue !== null && result.callState !== 'SUPERSEDED'
    if (isCalled && isSameValue(result.callValue as string, value)) continue
    const limit = findLimit(limits, result)
    const isNowCritical = limit !== undefined && isCritical(value, limit)
    // A call that is still open must not name a value that no longer counts.
    const isOpen = result.callState === 'OPEN' || result.callState === 'TAKEN'
    if (!isNowCritical && !result.wasCritical && !isOpen) continue
    const before = result.callValue ?? (result.before === null ? null : calledValue(result.before, digits))
    await raiseCall(write, result, { value, units, isNowCritical, limit, before })
  }
}

/** Nobody may call the value of a test that has failed or was removed. A retest leaves the call open until its result is there. */
const supersedeFailed = async ({ db, actor, requestId }: WriteCall, requisitionIds: readonly number[]) => {
  const { rows } = await sql<{ requisitionId: number; testCode: string; value: string }>`
    update critical_call c set state = 'SUPERSEDED', version = c.version + 1 from test t
    where t.id = c.test_id and c.requisition_id = ${anyId(requisitionIds)} and c.state in ('OPEN', 'TAKEN')
      and not exists (select from requisition_test rt where rt.requisition_id = c.requisition_id and rt.test_id = c.test_id
        and rt.deleted_at is null and not rt.is_retest
        and not exists (select from requisition_test_reason x join reason re on re.id = x.reason_id
          where x.requisition_test_id = rt.id and re.type_code = 'FAIL'))
    returning c.requisition_id as "requisitionId", t.code as "testCode", c.value`.execute(db)
  for (const { requisitionId, testCode, value } of rows) {
    await recordAudit(db, actor, requestId, {
      entity: 'requisition',
      entityId: requisitionId,
      requisitionId,
      action: 'CRITICAL',
      old: { [testCode]: value },
      reason: 'The test has failed or was removed: its value is not to be called',
    })
  }
  if (rows.length > 0) await publish(db, { topic: criticalTopic, data: { raised: 0 } })
}

interface Raised {
  value: string
  units: string | null
  isNowCritical: boolean
  limit: Limit | undefined
  before: string | null
}

const raiseCall = async (
  write: WriteCall,
  result: FinalResult,
  { value, units, isNowCritical, limit, before }: Raised,
) => {
  const { db, actor, requestId } = write
  const { requisitionId, reqTestId, testId, testCode, callId } = result
  if (callId !== null) {
    await db
      .updateTable('critical_call')
      .set((eb) => ({ state: 'SUPERSEDED', version: eb('version', '+', 1) }))
      .where('id', '=', callId)
      .where('state', 'in', ['OPEN', 'TAKEN'])
      .execute()
  }
  const replaces = before === null || isSameValue(before, value) ? null : before
  await db
    .insertInto('critical_call')
    .values({
      requisition_id: requisitionId,
      requisition_test_id: reqTestId,
      test_id: testId,
      value,
      units,
      replaces_value: replaces,
      is_critical: isNowCritical,
      lo: limit?.lo ?? null,
      hi: limit?.hi ?? null,
      due_at: sql<string>`now() + make_interval(mins => ${limit?.callMinutes ?? 30}::int)`,
    })
    .execute()
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'CRITICAL',
    ...(replaces !== null && { old: { [testCode]: replaces } }),
    new: { [testCode]: value },
    reason: isNowCritical ? 'Critical value: to be called' : 'Correction of a critical value: to be called',
  })
  await publish(db, { topic: criticalTopic, data: { raised: 1 } })
}

/** Current results of tests that have limits, or a call. Retested tests and open modifications are not final. */
const findFinalResults = async (db: Trx, requisitionIds: readonly number[]): Promise<FinalResult[]> => {
  const { rows } = await sql<FinalResult>`
    select r.id as "requisitionId", rt.id as "reqTestId", rt.test_id as "testId", t.code as "testCode", r.collaborator_id as "collaboratorId",
      coalesce(rt.result, rt.reportable_result) as result, p.gender_code as sex,
      ${ageAtCollection(sql`p.dob`)} as age,
      coalesce((select v.result from requisition_test_revision v where v.requisition_test_id = rt.id and v.result is not null order by v.id desc limit 1),
        (select o.result from requisition_test o where o.id = rt.retest_of_id)) as before,
      c.id as "callId", c.value as "callValue", c.state as "callState", c.is_critical as "wasCritical"
    from requisition_test rt join requisition r on r.id = rt.requisition_id join patient p on p.id = r.patient_id join test t on t.id = rt.test_id
    left join lateral (select x.* from critical_call x where x.requisition_id = r.id and x.test_id = rt.test_id order by x.id desc limit 1) c on true
    where rt.requisition_id = ${anyId(requisitionIds)} and rt.deleted_at is null and not rt.is_retest and not rt.is_modifiable
      and rt.reportable_result is not null and r.deleted_at is null
      and (c.id is not null or exists (select from critical_limit l where l.test_id = rt.test_id and l.deleted_at is null))
    order by r.id, rt.id`.execute(db)
  return rows
}

export const listLimitsOf = async (db: Db, testIds: readonly number[]): Promise<Limit[]> => {
  const { rows } = await sql<Limit>`
    select l.id, l.test_id as "testId", l.sex_code as "sexCode", l.age_from as "ageFrom", l.age_to as "ageTo",
      l.collaborator_id as "collaboratorId", l.lo, l.hi, l.call_minutes as "callMinutes"
    from critical_limit l where l.test_id = ${anyId(testIds)} and l.deleted_at is null`.execute(db)
  return rows
}
