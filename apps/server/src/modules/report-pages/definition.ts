import type { Permission } from '@lis/contract/access/permissions.ts'
import type { ReportColumn, ReportInput, ReportRow } from '@lis/contract/reports-pages.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { failedRequisitions, visibleRequisitions } from '../requisition-record/queries.ts'

/** The arguments of a report: the requester, and the first and last day. */
export interface ReportCall {
  actor: Actor
  /** YYYY-MM-DD, both inclusive. */
  from: string
  to: string
  labId?: number | undefined
  clientId?: number | undefined
  colaId?: number | undefined
}

export const reportCallOf = (
  actor: Actor,
  {
    fromDate,
    toDate,
    labId,
    clientId,
    colaId,
  }: Pick<ReportInput, 'fromDate' | 'toDate' | 'labId' | 'clientId' | 'colaId'>,
): ReportCall => ({ actor, from: fromDate, to: toDate, labId, clientId, colaId })

/**
 * Defines a report once: list, preview, chart and file are all built from it. To add one, write such an object in `qa/` or `summary/`,
 * put it into `definitions.ts`, and add its row to `seeds/data/qa-reports.json` or `summary-reports.json`.
 */
export interface ReportDefinition {
  code: string
  columns: readonly ReportColumn[]
  /** One bar per label and column of `bars`, summed over rows with the same label; where `bars` is empty, their number. */
  chart: {
    label: readonly string[]
    bars: readonly string[]
    isStacked: boolean
    /** What the axis counts. */
    unit: string
    isShown?: (row: ReportRow) => boolean
  }
  /** Permissions needed besides that of the page; without them the report is not offered. */
  access?: readonly Permission[]
  /**
   * One statement whose rows have the columns by their names, and `rowKind`. It begins with `scopedRows`, so that it only sees rows
   * that its reader may see; fields that are not columns are left out. Moments (columns of the type `datetime`) are given by `localTime`.
   */
  query: (call: ReportCall) => Sql
}

/** Columns as [name, header, type]. */
export const columnsOf = (
  ...columns: readonly (readonly [name: string, header: string, type?: ReportColumn['type']])[]
): ReportColumn[] => columns.map(([name, header, type = 'text']) => ({ name, header, type }))

const dayMs = 86_400_000
const daysIn = ({ from, to }: Pick<ReportCall, 'from' | 'to'>): number =>
  (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs + 1

/** The laboratory, client and collaborator that the reader has chosen. */
const chosen = ({ labId, clientId, colaId }: Pick<ReportCall, 'labId' | 'clientId' | 'colaId'>): Sql =>
  sql`${labId === undefined ? sql`` : sql` and l.lab_id = ${labId}`}${clientId === undefined ? sql`` : sql` and l.client_id = ${clientId}`}${colaId === undefined ? sql`` : sql` and l.collaborator_id = ${colaId}`}`

/**
 * The beginning of every report (common table expressions):
 * `span`: per laboratory the instants at which the period begins and ends on its own clock, and where the period before it begins;
 * `req`: the undeleted requisitions in the reader's scope with their laboratory's span.
 */
export const scopedRows = ({ actor, from, to, ...call }: ReportCall): Sql => sql`
  span as materialized (select id as span_lab_id, name as lab_name, zone as lab_zone, (${from}::date)::timestamp at time zone zone as starts,
    (${to}::date + 1)::timestamp at time zone zone as ends, (${from}::date - ${daysIn({ from, to })}::int)::timestamp at time zone zone as prev_starts from lab),
  req as not materialized (select l.*, s.* from requisition_list l join span s on s.span_lab_id = l.lab_id where ${visibleRequisitions(actor)}${chosen(call)})`

/**
 * True of an instant in the period or a day before or after it, whatever the zone, so that an index can be used. Both sides are instants:
 * comparing an instant with a date is not leakproof, so under row-level security the planner would ignore its statistics and expect one
 * row instead of 460,000.
 */
export const isNearPeriod = (instant: Sql, { from, to }: Pick<ReportCall, 'from' | 'to'>): Sql =>
  sql`(${instant} >= (${from}::date - 1)::timestamptz and ${instant} < (${to}::date + 2)::timestamptz)`

/** True of an instant in the period. */
export const isInPeriod = (instant: Sql, call: ReportCall): Sql =>
  sql`(${instant} >= starts and ${instant} < ends and ${isNearPeriod(instant, call)})`

/** An instant and its time zone, by default the laboratory's, as text; `runReport` converts it to local time with the zone's abbreviation. */
export const localTime = (instant: Sql, zone: Sql = sql`lab_zone`): Sql =>
  sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || ${zone}`

export const hoursBetween = (start: Sql, end: Sql): Sql => sql`(extract(epoch from ${end} - ${start}) / 3600)`
export const wholeHours = (start: Sql, end: Sql): Sql => sql`greatest(floor(${hoursBetween(start, end)}), 0)::int`

/** Null where the total is zero. */
export const percent = (part: Sql, whole: Sql): Sql => sql`round(100.0 * ${part} / nullif(${whole}, 0), 1)`

/** A test of a requisition that failed as a whole. */
export const isOnFailedRequisition = (test: Sql): Sql => sql`${test}.requisition_id in (${failedRequisitions})`

/** A test with a result that counts. */
export const isResulted = (test: Sql): Sql =>
  sql`(${test}.reportable_result is not null and not ${isOnFailedRequisition(test)})`

/** A test that failed: with its requisition as a whole, or without a result and with a fail code. */
export const isFailed = (test: Sql): Sql => sql`(${isOnFailedRequisition(test)}
  or ${test}.reportable_result is null and exists (select from requisition_test_reason x
    join reason fr on fr.id = x.reason_id and fr.type_code = 'FAIL' where x.requisition_test_id = ${test}.id))`
