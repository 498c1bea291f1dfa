import type { TryInput } from '@lis/contract/autoverification.ts'
import type { ReflexRule, TriedReflexRule } from '@lis/contract/reflex.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { isInHomePeriod } from '../../platform/home-zone.ts'
import { calledValue, findLimit, isCritical, isSameValue } from '../critical-calls/critical.ts'
import { listLimitsOf } from '../critical-calls/raise.ts'
import { loadRuleBook } from '../lab-tests/rule-book.ts'
import { ageAtCollection } from '../requisition-record/age.ts'
import { meets } from './condition.ts'

/** A result as it was before any correction. */
interface PastResult {
  reqId: number
  reqTestId: number
  testId: number
  colaId: number
  result: string | null
  reportable: string
  interpretation: string | null
  /** The value reported now; null if there is none. */
  now: string | null
  sex: string | null
  age: number | null
  isRetested: boolean
  isFailed: boolean
}

/** More than these are not listed; they are counted. */
const mostListed = 1000

/** Runs the condition of a rule over past results, as they were before any correction, and changes nothing. */
export const tryRule = async (db: Db, rule: ReflexRule, input: TryInput): Promise<TriedReflexRule> => {
  const past = await listPast(db, rule, input)
  const book = await loadRuleBook(db, [...new Set(past.map(({ colaId }) => colaId))])
  const limits = await listLimitsOf(db, [...new Set(past.map(({ testId }) => testId))])
  const list = past.map((row) => {
    const { digits } = book.of(row.colaId, row.testId)
    const limit = findLimit(limits, { ...row, collaboratorId: row.colaId })
    const isBeyond = (value: string) => limit !== undefined && isCritical(calledValue(value, digits), limit)
    const { reqId, reqTestId, result, reportable, now } = row
    return {
      reqId,
      reqTestId,
      value: result ?? reportable,
      wouldPass: flag(meets(rule, { ...row, digits })),
      wasCorrected: flag(row.isRetested || (now !== null && !isSameValue(now, reportable))),
      wasFailed: flag(row.isFailed),
      isCritical: flag(isBeyond(result ?? reportable)),
    }
  })
  const met = list.filter(({ wouldPass }) => wouldPass === 1)
  const count = (name: 'wasCorrected' | 'wasFailed' | 'isCritical') => met.filter((row) => row[name] === 1).length
  return {
    considered: list.length,
    wouldPass: met.length,
    laterCorrected: count('wasCorrected'),
    laterFailed: count('wasFailed'),
    critical: count('isCritical'),
    list: list.slice(0, mostListed),
  }
}

const flag = (is: boolean): 0 | 1 => (is ? 1 : 0)

const listPast = async (db: Db, { testCode }: ReflexRule, period: TryInput): Promise<PastResult[]> => {
  const { rows } = await sql<PastResult>`
    with past as (
      select rt.id, rt.requisition_id, rt.test_id, rt.is_retest, rt.reportable_result as now,
        case when v.id is null then rt.result else v.result end as result, coalesce(v.reportable_result, rt.reportable_result) as reportable,
        case when v.id is null then rt.interpretation else v.interpretation end as interpretation, coalesce(v.process_date, rt.process_date) as at
      from requisition_test rt join test t on t.id = rt.test_id and t.code = ${testCode}
      left join lateral (select x.* from requisition_test_revision x
        where x.requisition_test_id = rt.id and x.reportable_result is not null order by x.id limit 1) v on true
      where rt.deleted_at is null and coalesce(v.reportable_result, rt.reportable_result) is not null)
    select r.id as "reqId", p.id as "reqTestId", p.test_id as "testId", r.collaborator_id as "colaId", p.result, p.reportable, p.interpretation, p.now,
      pt.gender_code as sex, ${ageAtCollection(sql`pt.dob`)} as age, p.is_retest as "isRetested",
      exists (select from requisition_test_reason x join reason re on re.id = x.reason_id and re.type_code = 'FAIL' where x.requisition_test_id = p.id)
        or exists (select from requisition_reason x join reason re on re.id = x.reason_id and re.type_code = 'FAIL' where x.requisition_id = r.id) as "isFailed"
    from past p join requisition r on r.id = p.requisition_id and r.deleted_at is null join patient pt on pt.id = r.patient_id
    where ${isInHomePeriod(sql`p.at`, period)}
    order by p.at desc, p.id desc limit 50000`.execute(db)
  return rows
}
