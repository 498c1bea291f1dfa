import { sql } from 'kysely'
import type { Sql } from '../../platform/lists.ts'
import { normalizedUnit } from '../lab-tests/queries.ts'
import { isInPeriod, isOnFailedRequisition, type ReportCall } from './definition.ts'

/** As in `rulesOf`: the two limits of the collaborator belong together, and those of the catalogue do not apply in another unit. */
const hasOwnLimits = sql`(own.report_lo is not null or own.report_hi is not null)`
const hasOwnUnit = sql`coalesce(${normalizedUnit(sql`nullif(own.unit, '')`)} <> ${normalizedUnit(sql`nullif(t.unit, '')`)}, false)`
const limit = (name: 'report_lo' | 'report_hi'): Sql =>
  sql`case when judged.id is not null then judged.${sql.ref(name)} when ${hasOwnLimits} then own.${sql.ref(name)} when not ${hasOwnUnit} then t.${sql.ref(name)} end`

/**
 * `results`: the present results processed in the period, without those whose modification is open or whose requisition has failed as a whole,
 * with the limits by which they were interpreted; of results from before these were kept, those that hold for their collaborator. `is_below`
 * and `is_above` compare the value rounded as it is reported, so that what rounds onto a limit is in range. The last condition is compared
 * with a number since the planner then knows that it leaves nearly all: of 'not' it expects half or a third, joins row by row for that, and
 * takes twice as long for a year.
 */
export const resultsInPeriod = (call: ReportCall): Sql => sql`
  judged as materialized (select id, (rules ->> 'reportLo')::numeric as report_lo, (rules ->> 'reportHi')::numeric as report_hi, (rules ->> 'significantDigits')::int as digits,
    rules -> 'interpretationLabels' as labels from result_rules),
  results as (select x.*, coalesce(round(x.result_num, x.digits) < x.limit_lo, false) as is_below, coalesce(round(x.result_num, x.digits) > x.limit_hi, false) as is_above from (
    select req.requisition_id, req.client_id, req.collaborator_id, req.status_code, req.gender_code, req.lab_zone, rt.id, rt.result, rt.reportable_result, rt.interpretation, rt.process_date,
      t.id as test_id, t.code as test_code, t.sort_order as test_order, t.result_kind, t.options, coalesce(judged.labels, t.interpretation_labels) as interpretation_labels, coalesce(own.unit, t.unit) as unit,
      case when t.result_kind = 'numeric' then rt.result_num end as result_num, coalesce(judged.digits, own.significant_digits, t.significant_digits) as digits,
      ${limit('report_lo')} as limit_lo, ${limit('report_hi')} as limit_hi
    from requisition_test rt join req on req.requisition_id = rt.requisition_id join test t on t.id = rt.test_id
    left join judged on judged.id = rt.rules_id
    left join collaborator_test_range own on own.collaborator_id = req.collaborator_id and own.test_id = rt.test_id and own.deleted_at is null
    where rt.deleted_at is null and not rt.is_retest and not rt.is_modifiable and rt.reportable_result is not null and ${isInPeriod(sql`rt.process_date`, call)}
      and case when ${isOnFailedRequisition(sql`rt`)} then 1 else 0 end <> 1) x)`
