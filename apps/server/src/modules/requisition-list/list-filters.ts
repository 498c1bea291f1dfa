import { can } from '@lis/contract/access/permissions.ts'
import { parseDate, parseDateRange } from '@lis/contract/kit/date-range.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { withSingleSpaces } from '@lis/contract/validation.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { requireDays } from '../../platform/date-filter.ts'
import { invalid } from '../../platform/errors.ts'
import { type Condition, escapeLike, isOneOf, isOneOfIds, type Sql } from '../../platform/lists.ts'
import { isSentBetween } from '../billing-batches/queries.ts'
import { openIssues } from '../issues/queries.ts'

const texts = (value: FilterValue) =>
  (Array.isArray(value) ? value : value.split(',')).map((text) => text.trim()).filter(Boolean)
const sortKey = (text: string) => sql`sort_key(${text})`
/** A LIKE pattern for text normalised by `sort_key`. Wildcards are escaped after normalising, which turns '％' into '%'. */
const likePattern = (text: string) => sql`'%' || regexp_replace(${sortKey(text)}, '[\\\\%_]', '\\\\\\&', 'g') || '%'`

/** Days in the row's own time zone: the 5th means the 5th there, not in UTC. */
const dayRange =
  (field: string, instant: Sql, zone: Sql): Condition =>
  (value) => {
    const range = requireDays(field, value)
    // First by the index, a day too wide on both sides; then exactly in the row's zone, but only within a day of both ends, because
    // further inside every zone agrees. Both sides are instants: a comparison with a date is not leakproof, so under row-level security
    // the planner would ignore its statistics and expect one row instead of 100,000.
    const at = (date: Sql, days: number) => sql`(${date}::date + ${sql.lit(days)})::timestamptz`
    return sql`${instant} >= ${at(range.from, -1)} and ${instant} < ${at(range.to, 2)}
      and (${instant} >= ${at(range.from, 1)} and ${instant} < ${at(range.to, 0)}
        or (${instant} at time zone ${zone})::date between ${range.from}::date and ${range.to}::date)`
  }

const collectedZone = sql`l.collected_zone`
const labZone = sql`(select zone from lab where id = l.lab_id)`

/** How the matches of a search are combined with the reader's rows. */
type SearchCondition = (search: Sql) => Sql
const inSearch: SearchCondition = (search) => sql`l.requisition_id in (${search})`
/** Collects all matches first. */
const inCollectedSearch: SearchCondition = (search) => sql`l.requisition_id = any(array(${search}))`

/** Rows whose search text contains this: names normalised, order numbers as typed. The trigram index needs at least three letters. */
const searchText = (text: string, found: SearchCondition): Sql =>
  found(
    sql`select s.requisition_id from requisition_search s where s.search_text like ${likePattern(text)}${
      isAscii(text) ? sql`` : sql` or s.search_text like ${`%${escapeLike(text.toLowerCase())}%`}`
    }`,
  )
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

const namePart = (value: FilterValue, part: 1 | 2, found: SearchCondition): Sql => {
  const wanted = withSingleSpaces(String(value).trim())
  const exact = sql`split_part(l.patient_key, ', ', ${sql.lit(part)}) like ${likePattern(wanted)}`
  if (wanted.length >= 3) return sql`${exact} and ${searchText(wanted, found)}`
  // Too short for the index: the beginning of the last name by range, anything else by reading the rows of the tab.
  return part === 1
    ? sql`l.patient_key >= ${sortKey(wanted)} and l.patient_key < ${sortKey(wanted)} || chr(1114111)`
    : exact
}

/** The search box: an accession number, a name ('doe, jane' or 'jane doe') or an external order id. */
const searchCondition = (value: FilterValue, found: SearchCondition): Sql => {
  const text = String(value).trim().slice(0, 200)
  if (text === '') return sql`true`
  if (/^\d{1,12}$/.test(text)) return numberCondition(text, found)
  if (text.length < 3)
    return sql`l.patient_key >= ${sortKey(text)} and l.patient_key < ${sortKey(text)} || chr(1114111)`
  // `sort_key` recognises a letter with its accent only in composed form.
  const words = text
    .normalize('NFC')
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, 6)
  return sql.join(
    words.map((word) => searchText(word, found)),
    sql` and `,
  )
}

/** The number itself or numbers that begin with it; an external order id may consist of digits too. */
const numberCondition = (digits: string, found: SearchCondition): Sql => {
  const ranges = [sql`s.requisition_id = ${Number(digits)}`]
  for (let width = digits.length + 1; width <= 8; width++) {
    const step = 10 ** (width - digits.length)
    ranges.push(sql`s.requisition_id between ${Number(digits) * step} and ${(Number(digits) + 1) * step - 1}`)
  }
  // Two selects, each with its index; one condition with 'or' would scan all rows.
  const searches = [sql`select s.requisition_id from requisition_search s where ${sql.join(ranges, sql` or `)}`]
  if (digits.length >= 3)
    searches.push(sql`select s.requisition_id from requisition_search s where s.search_text like ${`%${digits}%`}`)
  return found(sql.join(searches, sql` union all `))
}

const searchConditions = (found: SearchCondition): Record<string, Condition> => ({
  search: (value) => searchCondition(value, found),
  patientFirstName: (value) => namePart(value, 2, found),
  patientLastName: (value) => namePart(value, 1, found),
})

/** Billed means sent in a batch: neither taken out of it before nor still waiting in one. The day is that of the batch. */
const dateBilled: Condition = (value) => {
  const { from, to } = requireDays('dateBilled', value)
  return sql`l.requisition_id in (select i.requisition_id from billing_batch b join billing_batch_item i on i.batch_id = b.id
    where b.deleted_at is null and b.send_status_code = 'SENT' and i.left_out is null and ${isSentBetween(from, to)})`
}

const birthDate: Condition = (value) => {
  const text = String(value)
  const range = parseDateRange(text)
  if (range) return sql`l.patient_dob between ${range.from}::date and ${range.to}::date`
  const iso = parseDate(text)
  if (iso === undefined) throw invalid('filter', 'patientDob must be a date')
  return sql`l.patient_dob = ${iso}::date`
}

const codesOf = (table: 'reason' | 'test', codes: string[], type?: 'PASS' | 'FAIL') =>
  type
    ? sql`(select id from reason where type_code = ${type} and code = any(${codes}::text[]))`
    : sql`(select id from ${sql.table(table)} where code = any(${codes}::text[]))`

const withTests = (tests: Sql): Sql =>
  sql`exists (select from requisition_test rt where rt.requisition_id = l.requisition_id and rt.deleted_at is null and not rt.is_retest and rt.test_id in ${tests})`
// By the row's own column. With 'exists' the planner would first collect every requisition with the test, of all years and clients.
const rowHasTests = (tests: Sql): Sql =>
  sql`string_to_array(l.test_codes, ',') && array(select code from test where id in ${tests})`

/** There are far fewer combinations of tests than rows: among all billed requisitions matches are found by their combination. */
const hasCombinationWithTests = (tests: Sql): Sql => sql`l.test_codes = any(array(select test_codes from (
  select test_codes from requisition_tests_count union select test_codes from requisition_tests_count_delta) known
  where string_to_array(test_codes, ',') && array(select code from test where id in ${tests})))`

export const testIdsByCode = (value: FilterValue) => codesOf('test', texts(value))
export const testIdsByCombo = (value: FilterValue) =>
  sql`(select x.test_id from test_combo_test x join test_combo c on c.id = x.test_combo_id where c.code = any(${texts(value)}::text[]))`

const hasIssueOfDepartment: Condition = (value) =>
  sql`l.issue_department_ids && ${idsOf('issueDeptId', value)}::int[] and l.issue_department_ids <> '{}'`
const hasOpenIssues = sql`l.open_issue_count > 0`

/** `late_order` is minus the second from which a requisition will be late: an index answers what is late at this moment. */
export const isLate = sql`l.late_order >= -floor(extract(epoch from now()))::bigint`
const willBeLate: Condition = (value) => {
  const wanted = texts(value)
  const unknown = wanted.find((text) => text !== '0' && text !== '1')
  if (unknown !== undefined) throw invalid('filter', `willBeLate: "${unknown}" is neither 0 nor 1`)
  if (new Set(wanted).size !== 1) return sql`true`
  return wanted[0] === '1' ? isLate : sql`not (${isLate})`
}

export const requisitionConditions: Record<string, Condition> = {
  id: isOneOfIds(sql`l.requisition_id`, 'id'),
  reqId: isOneOfIds(sql`l.requisition_id`, 'reqId'),
  ...searchConditions(inSearch),
  patientDob: birthDate,
  reqStatusCode: isOneOf(sql`l.status_code`),
  clientId: isOneOfIds(sql`l.client_id`, 'clientId'),
  physId: isOneOfIds(sql`l.physician_id`, 'physId'),
  colaId: isOneOfIds(sql`l.collaborator_id`, 'colaId'),
  eventId: isOneOfIds(sql`l.event_id`, 'eventId'),
  labId: isOneOfIds(sql`l.lab_id`, 'labId'),
  salesId: (value) =>
    sql`l.client_id in (select client_id from client_sales cs where ${isOneOfIds(sql`cs.sales_person_id`, 'salesId')(value)})`,
  serviceId: (value) =>
    sql`l.client_id in (select id from client c where ${isOneOfIds(sql`c.service_person_id`, 'serviceId')(value)})`,
  dateCollected: dayRange('dateCollected', sql`l.collected_at`, collectedZone),
  dateReceived: dayRange('dateReceived', sql`l.received_at`, labZone),
  dateLogged: dayRange('dateLogged', sql`l.logged_at`, labZone),
  dateReported: dayRange('dateReported', sql`l.reported_at`, labZone),
  dateReleased: dayRange('dateReleased', sql`l.released_at`, labZone),
  dateDelivered: dayRange('dateDelivered', sql`l.delivered_at`, labZone),
  dateBilled,
  testCodes: (value) => withTests(testIdsByCode(value)),
  testComboCode: (value) => withTests(testIdsByCombo(value)),
  reqBillTypeCode: isOneOf(sql`l.bill_type_code`),
  // The second half matches the condition of the partial index: most rows have none.
  flag: (value) => sql`l.flag_ids && ${idsOf('flag', value)}::int[] and l.flag_ids <> '{}'`,
  passCodes: (value) =>
    sql`l.pass_reason_ids && array${codesOf('reason', texts(value), 'PASS')} and l.pass_reason_ids <> '{}'`,
  failCodes: (value) =>
    sql`exists (select from requisition_reason r where r.requisition_id = l.requisition_id and r.reason_id in ${codesOf('reason', texts(value), 'FAIL')})`,
  labNoteTypeCode: (value) =>
    sql`exists (select from lab_note n join lab_note_type t on t.id = n.type_id where n.requisition_id = l.requisition_id and n.deleted_at is null and t.code = any(${texts(value)}::text[]))`,
  issueDeptId: hasIssueOfDepartment,
  hasOpenIssues: () => hasOpenIssues,
  dueDate: dayRange('dueDate', sql`l.due_at`, labZone),
  willBeLate,
}

/** In addition to the indexed condition, leaves out issues that the reader cannot see. */
export const issueConditions = (actor: Pick<Actor, 'role'>): Record<string, Condition> => {
  if (can(actor.role, 'reports.deliver')) return {}
  const { count, departmentIds } = openIssues(actor)
  return {
    issueDeptId: (value) =>
      sql`${hasIssueOfDepartment(value)} and ${departmentIds} && ${idsOf('issueDeptId', value)}::int[]`,
    hasOpenIssues: () => sql`${hasOpenIssues} and ${count} > 0`,
  }
}

function idsOf(field: string, value: FilterValue): number[] {
  return texts(value).map((text) => {
    if (!/^\d{1,9}$/.test(text)) throw invalid('filter', `${field}: "${text}" is not a whole number`)
    return Number(text)
  })
}

/** For a tab of the laboratory or a narrow scope, whose rows can be checked one by one. */
export const conditionsByRow: Record<string, Condition> = {
  ...requisitionConditions,
  testCodes: (value) => rowHasTests(testIdsByCode(value)),
  testComboCode: (value) => rowHasTests(testIdsByCombo(value)),
}

/** For a scope of very many clients. The planner underestimates the policy's selectivity and would scan them all instead of looking up the matches. */
export const conditionsForManyClients: Record<string, Condition> = {
  ...conditionsByRow,
  ...searchConditions(inCollectedSearch),
}

/** For billed requisitions, the largest part of all. */
export const conditionsForBilled: Record<string, Condition> = {
  ...requisitionConditions,
  testCodes: (value) => hasCombinationWithTests(testIdsByCode(value)),
  testComboCode: (value) => hasCombinationWithTests(testIdsByCombo(value)),
}
