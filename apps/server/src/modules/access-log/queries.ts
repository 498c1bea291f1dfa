import { parseDate } from '@lis/contract/kit/date-range.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { sql } from 'kysely'
import { invalid } from '../../platform/errors.ts'
import { homeZoneSql } from '../../platform/home-zone.ts'
import { type Condition, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'

/** Every row of the log; of one patient, also under merged numbers, if a patient is given. Whoever may read the log sees all of it. */
export const accessLogList = (patientId?: number): ListDefinition => ({
  from: sql`access_log a`,
  where: patientId === undefined ? [] : [sql`a.patient_ids && merged_patient_ids(current_patient_id(${patientId}))`],
  fields: {
    id: sql`a.id`,
    accessDate: sql`a.at`,
    userId: sql`a.user_id`,
    userName: sql`a.user_name`,
    userRoleCode: sql`a.user_role_code`,
    viewedAsId: sql`a.viewed_as_id`,
    viewedAsName: sql`a.viewed_as_name`,
    method: sql`a.method`,
    route: sql`a.route`,
    requestId: sql`a.request_id`,
    patientIds: sql`a.patient_ids`,
    reqIds: sql`a.requisition_ids`,
  },
  sort: { userName: sql`lower(a.user_name)` },
  filter: {
    patientId: holds(sql`a.patient_ids`, 'patientId'),
    reqId: holds(sql`a.requisition_ids`, 'reqId'),
    userId: (value) =>
      sql`(${isOneOfIds(sql`a.user_id`, 'userId')(value)} or ${isOneOfIds(sql`a.viewed_as_id`, 'userId')(value)})`,
    requestId: isOneOf(sql`a.request_id`),
    dateFrom: (value) => sql`a.at >= ${boundary('dateFrom', value, 0)}`,
    dateTo: (value) => sql`a.at < ${boundary('dateTo', value, 1)}`,
  },
  // Rows are written in order of time; the number orders those of one batch.
  defaultOrder: sql`a.id desc`,
  key: sql`a.id`,
})

/** One of these ids is among those of the row. */
function holds(ids: Sql, field: string): Condition {
  return (value) => {
    const asked = (Array.isArray(value) ? value : [value]).map((text) => text.trim())
    const wrong = asked.find((text) => !/^\d{1,15}$/.test(text))
    if (wrong !== undefined) throw invalid('filter', `${field}: "${wrong}" is not a whole number`)
    return sql`${ids} && ${asked.map(Number)}::bigint[]`
  }
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})$/

/** A day of the laboratory, the last one to its end; or an instant. */
function boundary(field: string, value: FilterValue, daysLater: 0 | 1): Sql {
  const text = String(value).trim()
  const day = parseDate(text)
  if (day) return sql`(${day}::date + ${daysLater}::int)::timestamp at time zone ${homeZoneSql}`
  if (instant.test(text) && !Number.isNaN(Date.parse(text))) return sql`${text}::timestamptz`
  throw invalid(field, `${field} must be a day (YYYY-MM-DD)`)
}
