import type { Permission } from '@lis/contract/access/permissions.ts'
import type { ReportColumn, ReportRow } from '@lis/contract/reports-pages.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { failedRequisitions, visibleRequisitions } from '../requisition-record/queries.ts'

/** What a report is asked for: who asks, and the first and last day. */
export interface ReportCall {
  actor: Actor
  /** YYYY-MM-DD, both inclusive. */
  from: string
  to: string
}

/**
 * A report, said once: list, preview, chart and file are all made from it. To add one, write such an object in `qa/` or `summary/`,
 * put it into `definitions.ts`, and add its row to `seeds/data/qa-reports.json` or `summary-reports.json`.
 */
export interface ReportDefinition {
  code: string
  columns: readonly ReportColumn[]
  /** One bar per label and column of `bars`, rows of the same label added up; where `bars` is empty, how many rows bear it. */
  chart: {
    label: readonly string[]
    bars: readonly string[]
    isStacked: boolean
    isShown?: (row: ReportRow) => boolean
  }
  /** What it takes besides the page itself; without it the report is not there. */
  access?: readonly Permission[]
  /**
   * One statement whose rows have the columns by their names, and `rowKind`. It begins with `scopedRows`, so that it can only ever
   * see what its reader may; what is no column is left out. Moments (columns of the type `datetime`) are given by `localTime`.
   */
  query: (call: ReportCall) => Sql
}

/** Columns as [name, header, type]. */
export const columnsOf = (
  ...columns: readonly (readonly [name: string, header: string, type?: ReportColumn['type']])[]
): ReportColumn[] => columns.map(([name, header, type = 'text']) => ({ name, header, type }))

const dayMs = 86_400_000
export const daysIn = ({ from, to }: Pick<ReportCall, 'from' | 'to'>): number =>
  (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs + 1

/**
 * The beginning of every report (common table expressions):
 * `span`: per laboratory the instants at which the period begins and ends on its own clock, and where the period before it begins;
 * `req`: the living requisitions in the reader's scope with their laboratory's span.
 */
export const scopedRows = ({ actor, from, to }: ReportCall): Sql => sql`
  span as materialized (select id as span_lab_id, name as lab_name, zone as lab_zone, (${from}::date)::timestamp at time zone zone as starts,
    (${to}::date + 1)::timestamp at time zone zone as ends, (${from}::date - ${daysIn({ from, to })}::int)::timestamp at time zone zone as prev_starts from lab),
  req as not materialized (select l.*, s.* from requisition_list l join span s on s.span_lab_id = l.lab_id where ${visibleRequisitions(actor)})`

/**
 * True of an instant in the period, with a day to spare on both sides and without the zone, so that an index can be asked. Compared as
 * instants and not as days: under row-level security the planner trusts its statistics only with comparisons that cannot leak a value,
 * and the one of an instant with a day is not among them. It then expected one row instead of 460,000.
 */
export const isNearPeriod = (instant: Sql, { from, to }: Pick<ReportCall, 'from' | 'to'>): Sql =>
  sql`(${instant} >= (${from}::date - 1)::timestamptz and ${instant} < (${to}::date + 2)::timestamptz)`

/** True of an instant in the period. */
export const isInPeriod = (instant: Sql, call: ReportCall): Sql =>
  sql`(${instant} >= starts and ${instant} < ends and ${isNearPeriod(instant, call)})`

/** An instant with the zone whose clock shows it, of the laboratory if none is given. The database knows no names of clocks: `runReport` does. */
export const localTime = (instant: Sql, zone: Sql = sql`lab_zone`): Sql =>
  sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || ${zone}`

export const hoursBetween = (start: Sql, end: Sql): Sql => sql`(extract(epoch from ${end} - ${start}) / 3600)`
export const wholeHours = (start: Sql, end: Sql): Sql => sql`greatest(floor(${hoursBetween(start, end)}), 0)::int`

/** Empty where nothing can be divided by. */
export const percent = (part: Sql, whole: Sql): Sql => sql`round(100.0 * ${part} / nullif(${whole}, 0), 1)`

/** A test whose whole requisition has failed. */
export const isOnFailedRequisition = (test: Sql): Sql => sql`${test}.requisition_id in (${failedRequisitions})`

/** A test with a result that counts. */
export const isResulted = (test: Sql): Sql =>
  sql`(${test}.reportable_result is not null and not ${isOnFailedRequisition(test)})`

/** A test that failed: with its whole requisition, or without a result and with a reason why. */
export const isFailed = (test: Sql): Sql => sql`(${isOnFailedRequisition(test)}
  or ${test}.reportable_result is null and exists (select from requisition_test_reason x
    join reason fr on fr.id = x.reason_id and fr.type_code = 'FAIL' where x.requisition_test_id = ${test}.id))`
