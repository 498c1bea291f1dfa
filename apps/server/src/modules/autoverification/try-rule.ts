import type { AutoverifyRuleRecord, TriedRule, TryInput } from '@lis/contract/autoverification.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { isInHomePeriod } from '../../platform/home-zone.ts'
import { calledValue, findLimit, isCritical, isSameValue } from '../critical-calls/critical.ts'
import { listLimitsOf } from '../critical-calls/raise.ts'
import { loadRuleBook } from '../lab-tests/rule-book.ts'
import { ageAtCollection } from '../requisition-record/age.ts'
import { checkSpecimenAge, checkValue, flagCheck } from './decide.ts'

interface PastResult {
  reqId: number
  reqTestId: number
  testId: number
  colaId: number
  /** The first value, before corrections. */
  value: string
  now: string | null
  processDate: string | null
  flags: string[]
  sex: string | null
  age: number | null
  specimenHours: number
  earlier: string | null
  daysAgo: number | null
  isRetested: boolean
  isFailed: boolean
}

/** More than these are not listed; they are counted. */
const mostListed = 1000

/**
 * Runs a rule over past results, including typed, waiting and rejected ones, with their values before any correction; changes nothing.
 * Quality control, issues and the critical limits of that day are not part of it: a critical value that the rule would have accepted
 * is counted.
 */
export const tryRule = async (db: Db, rule: AutoverifyRuleRecord, input: TryInput): Promise<TriedRule> => {
  const past = await listPast(db, rule, input)
  const book = await loadRuleBook(db, [...new Set(past.map(({ colaId }) => colaId))])
  const limits = await listLimitsOf(db, [...new Set(past.map(({ testId }) => testId))])
  const rows = past.map((result) => {
    const rules = book.of(result.colaId, result.testId)
    const earlier = result.earlier === null ? null : { value: result.earlier, daysAgo: result.daysAgo ?? 0 }
    const checks = [
      ...checkValue({ testCode: rule.testCode, value: result.value, rule, earlier }, rules),
      flagCheck(result.flags),
      ...checkSpecimenAge({ rule, specimenHours: result.specimenHours }),
    ]
    const reasons = checks.filter(({ passed }) => !passed).map(({ text }) => text)
    const limit = findLimit(limits, { ...result, collaboratorId: result.colaId })
    const isBeyond = (value: string) => limit !== undefined && isCritical(calledValue(value, rules.digits), limit)
    return {
      reqId: result.reqId,
      reqTestId: result.reqTestId,
      value: result.value,
      processDate: result.processDate,
      wouldPass: flag(reasons.length === 0),
      reasons,
      wasCorrected: flag(result.isRetested || (result.now !== null && !isSameValue(result.now, result.value))),
      wasFailed: flag(result.isFailed),
      isCritical: flag(isBeyond(result.value) || (result.now !== null && isBeyond(result.now))),
    }
  })
  const passing = rows.filter(({ wouldPass }) => wouldPass === 1)
  const count = (name: 'wasCorrected' | 'wasFailed' | 'isCritical') => passing.filter((row) => row[name] === 1).length
  return {
    considered: rows.length,
    wouldPass: passing.length,
    laterCorrected: count('wasCorrected'),
    laterFailed: count('wasFailed'),
    critical: count('isCritical'),
    list: rows.slice(0, mostListed),
  }
}

const flag = (is: boolean): 0 | 1 => (is ? 1 : 0)

const listPast = async (
  db: Db,
  { testCode, labId, colaId, instrumentId }: AutoverifyRuleRecord,
  period: TryInput,
): Promise<PastResult[]> => {
  const { rows } = await sql<PastResult>`
    with past as (
      select rt.id, rt.requisition_id, rt.test_id, rt.is_retest, rt.result as now, coalesce(v.result, rt.result) as value,
        coalesce(v.process_date, rt.process_date) as at, i.instrument_id, i.flags, false as is_rejected
      from requisition_test rt join test t on t.id = rt.test_id and t.code = ${testCode} and not t.is_calculated
      left join lateral (select x.result, x.process_date from requisition_test_revision x
        where x.requisition_test_id = rt.id and x.result is not null order by x.id limit 1) v on true
      left join lateral (select x.instrument_id, x.flags from instrument_result x
        where x.requisition_test_id = rt.id and x.state in ('VERIFIED', 'ACCEPTED', 'SUPERSEDED') order by x.id limit 1) i on true
      where rt.deleted_at is null and coalesce(v.result, rt.result) is not null
      union all
      select rt.id, rt.requisition_id, rt.test_id, false, null, x.value, coalesce(x.measured_at, x.received_at), x.instrument_id, x.flags,
        x.state <> 'REVIEW'
      from instrument_result x join requisition_test rt on rt.id = x.requisition_test_id join test t on t.id = rt.test_id and t.code = ${testCode}
      where x.state in ('REVIEW', 'REJECTED', 'RERUN'))
    select r.id as "reqId", p.id as "reqTestId", p.test_id as "testId", r.collaborator_id as "colaId", p.value, p.now, p.at as "processDate",
      coalesce(p.flags, '{}') as flags, pt.gender_code as sex, ${ageAtCollection(sql`pt.dob`)} as age,
      extract(epoch from p.at - r.collected_at)::float8 / 3600 as "specimenHours", e.result as earlier,
      floor(extract(epoch from p.at - e.process_date) / 86400)::int as "daysAgo", p.is_retest as "isRetested",
      p.is_rejected or exists (select from requisition_test_reason x join reason re on re.id = x.reason_id and re.type_code = 'FAIL' where x.requisition_test_id = p.id)
        or exists (select from requisition_reason x join reason re on re.id = x.reason_id and re.type_code = 'FAIL' where x.requisition_id = r.id) as "isFailed"
    from past p join requisition r on r.id = p.requisition_id and r.deleted_at is null join patient pt on pt.id = r.patient_id
    left join lateral (select x.result, x.process_date from requisition q join requisition_test x on x.requisition_id = q.id and x.test_id = p.test_id
      where q.patient_id = r.patient_id and q.id <> r.id and q.deleted_at is null and x.deleted_at is null and not x.is_retest
        and x.result_num is not null and x.process_date < p.at order by x.process_date desc limit 1) e on true
    where ${isInHomePeriod(sql`p.at`, period)}
      and (${labId}::int is null or r.lab_id = ${labId}::int) and (${colaId}::int is null or r.collaborator_id = ${colaId}::int)
      and (${instrumentId}::int is null or p.instrument_id = ${instrumentId}::int)
    order by p.at desc, p.id desc limit 50000`.execute(db)
  return rows
}
