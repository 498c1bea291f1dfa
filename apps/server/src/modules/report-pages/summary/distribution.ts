import { resultReadPermissions } from '@lis/contract/access/permissions.ts'
import { sql } from 'kysely'
import type { Sql } from '../../../platform/lists.ts'
import { columnsOf, percent, type ReportDefinition, scopedRows } from '../definition.ts'
import { resultsInPeriod } from '../results-in-period.ts'

const band = (name: string): Sql => sql`count(*) filter (where r.interpretation = r.interpretation_labels ->> ${name})`
const interpreted = sql`count(*) filter (where r.interpretation in (r.interpretation_labels ->> 'normal', r.interpretation_labels ->> 'borderline', r.interpretation_labels ->> 'unfavorable'))`
const centile = (at: number): Sql =>
  sql`trim_scale(round((percentile_cont(${sql.lit(at)}) within group (order by r.result_num))::numeric, 6))`
const optionShare = (name: string): Sql =>
  sql`case when o.option ->> 'band' = ${name} then ${percent(sql`count(*)`, sql`max(o.all_count)`)} end`

/** SUMDIST. A test measured in two units (a collaborator may have its own) has rows for each; 'few' means fewer than five results. */
export const distribution: ReportDefinition = {
  code: 'SUMDIST',
  access: resultReadPermissions,
  columns: columnsOf(
    ['testCode', 'Test'],
    ['units', 'Units'],
    ['sex', 'Sex'],
    ['resultCount', 'Numeric Results', 'integer'],
    ['mean', 'Mean', 'decimal2'],
    ['sd', 'SD', 'decimal2'],
    ['p5', '5th Percentile', 'decimal'],
    ['median', 'Median', 'decimal'],
    ['p95', '95th Percentile', 'decimal'],
    ['normalPercent', 'Normal %', 'decimal1'],
    ['borderlinePercent', 'Borderline %', 'decimal1'],
    ['unfavorablePercent', 'Unfavorable %', 'decimal1'],
    ['textCount', 'Text Results', 'integer'],
    ['belowCount', 'Below Limit', 'integer'],
    ['aboveCount', 'Above Limit', 'integer'],
  ),
  chart: {
    label: ['testCode', 'units'],
    bars: ['normalPercent', 'borderlinePercent', 'unfavorablePercent'],
    isStacked: true,
    unit: 'Percent of results',
    // Male and female are in the table.
    isShown: ({ sex }) => String(sex).startsWith('both'),
  },
  query: (call) => sql`with ${scopedRows(call)}, ${resultsInPeriod(call)},
    kept as (select r.* from results r join requisition_status_type st on st.code = r.status_code and st.sort_order >= 40),
    report_row as (
      select r.test_order, r.test_code, r.unit as units, s.place, s.sex || case when count(r.result_num) < 5 then ' (few)' else '' end as sex, count(r.result_num)::int as results,
          round(avg(r.result_num), 2) as mean, round(stddev_samp(r.result_num), 2) as sd, ${centile(0.05)} as p5, ${centile(0.5)} as median, ${centile(0.95)} as p95,
          ${percent(band('normal'), interpreted)} as normal, ${percent(band('borderline'), interpreted)} as borderline, ${percent(band('unfavorable'), interpreted)} as unfavorable,
          (count(*) filter (where r.result_num is null))::int as texts, (count(*) filter (where r.is_below))::int as below, (count(*) filter (where r.is_above))::int as above
        from kept r join (values (1, 'MALE'), (2, 'FEMALE'), (3, 'both')) s(place, sex) on s.sex in (r.gender_code, 'both')
        where r.result_kind = 'numeric' group by r.test_order, r.test_code, r.unit, s.place, s.sex
      union all
      select o.test_order, o.test_code, coalesce(o.option ->> 'description', o.result), 3, case when count(*) < 5 then 'both (few)' else 'both' end, 0, null, null, null, null, null,
          ${optionShare('normal')}, ${optionShare('borderline')}, ${optionShare('unfavorable')}, count(*)::int, 0, 0
        from (select r.*, count(*) over (partition by r.test_id) as all_count, (select x from jsonb_array_elements(r.options) x where x ->> 'code' = r.result) as option
          from kept r where r.result_kind = 'category') o group by o.test_order, o.test_code, o.option, o.result
      union all
      select r.test_order, r.test_code, r.unit, 3, case when count(*) < 5 then 'both (few)' else 'both' end, 0, null, null, null, null, null, null, null, null, count(*)::int, 0, 0
        from kept r where r.result_kind = 'text' group by r.test_order, r.test_code, r.unit)
    select 'row' as "rowKind", test_code as "testCode", units, sex, results as "resultCount", mean, sd, p5, median, p95, normal as "normalPercent", borderline as "borderlinePercent",
      unfavorable as "unfavorablePercent", texts as "textCount", below as "belowCount", above as "aboveCount"
    from report_row order by test_order, test_code, units nulls first, place`,
}
