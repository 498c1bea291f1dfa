import { can } from '@lis/contract/access/permissions.ts'
import { parseDate, parseDateRange } from '@lis/contract/kit/date-range.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { withSingleSpaces } from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalid } from '../../platform/errors.ts'
import { type Condition, daysAsked, escapeLike, isOneOf, isOneOfIds, type Sql } from '../../platform/lists.ts'
import { isSentBetween } from '../billing-batches/queries.ts'
import { openIssues } from '../issues/queries.ts'

const texts = (value: FilterValue) =>
  (Array.isArray(value) ? value : value.split(',')).map((text) => text.trim()).filter(Boolean)
const key = (text: string) => sql`sort_key(${text})`
/** Somewhere in a text that was folded by `sort_key`. The signs of LIKE are taken for what they are after the folding: it turns '％' into '%'. */
const contains = (text: string) => sql`'%' || regexp_replace(${key(text)}, '[\\\\%_]', '\\\\\\&', 'g') || '%'`

/** Days in the zone the time was meant in: who asks for the 5th means the 5th there, not in UTC. */
const dayRange =
  (field: string, instant: Sql, zone: Sql): Condition =>
  (value) => {
    const range = daysAsked(field, value)
    // First by the index, a day too wide on both sides. Then exactly, in the row's own zone, but only near the two ends: what is a
    // day away from them is inside in every zone. Compared as instants, not as days: only then does the planner trust its statistics
    // under row-level security; it expected one row instead of 100,000.
    const at = (date: string, days: number) => sql`(${date}::date + ${sql.lit(days)})::timestamptz`
    return sql`${instant} >= ${at(range.from, -1)} and ${instant} < ${at(range.to, 2)}
      and (${instant} >= ${at(range.from, 1)} and ${instant} < ${at(range.to, 0)}
        or (${instant} at time zone ${zone})::date between ${range.from}::date and ${range.to}::date)`
  }

const collectedZone = sql`l.collected_zone`
const labZone = sql`(select zone from lab where id = l.lab_id)`

/** How the rows that a search finds are put together with those of the reader. */
type Found = (search: Sql) => Sql
const isAmong: Found = (search) => sql`l.requisition_id in (${search})`
/** All that is found is gathered first. */
const isGathered: Found = (search) => sql`l.requisition_id = any(array(${search}))`

/** Rows whose search text holds this, names folded and numbers of orders as they were typed; the trigram index needs three letters to be of use. */
const searchText = (text: string, found: Found): Sql =>
  found(
    sql`select s.requisition_id from requisition_search s where s.search_text like ${contains(text)}${
      isAscii(text) ? sql`` : sql` or s.search_text like ${`%${escapeLike(text.toLowerCase())}%`}`
    }`,
  )
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

const namePart = (value: FilterValue, part: 1 | 2, found: Found): Sql => {
  const wanted = withSingleSpaces(String(value).trim())
  const exact = sql`split_part(l.patient_key, ', ', ${sql.lit(part)}) like ${contains(wanted)}`
  if (wanted.length >= 3) return sql`${exact} and ${searchText(wanted, found)}`
  // Too short for the index: the beginning of the last name by range, anything else by looking at the rows of the tab.
  return part === 1 ? sql`l.patient_key >= ${key(wanted)} and l.patient_key < ${key(wanted)} || chr(1114111)` : exact
}

/** One box for everything: an accession number, a name ('doe, jane' or 'jane doe') or an external order id. */
const searchCondition = (value: FilterValue, found: Found): Sql => {
  const text = String(value).trim().slice(0, 200)
  if (text === '') return sql`true`
  if (/^\d{1,12}$/.test(text)) return numberCondition(text, found)
  if (text.length < 3) return sql`l.patient_key >= ${key(text)} and l.patient_key < ${key(text)} || chr(1114111)`
  // A letter and its accent as two characters are one for `sort_key` only when they are put together.
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

/** The number itself, or the numbers that begin with it; an external order id may be all digits too. */
const numberCondition = (digits: string, found: Found): Sql => {
  const ranges = [sql`s.requisition_id = ${Number(digits)}`]
  for (let width = digits.length + 1; width <= 8; width++) {
    const step = 10 ** (width - digits.length)
    ranges.push(sql`s.requisition_id between ${Number(digits) * step} and ${(Number(digits) + 1) * step - 1}`)
  }
  // Two questions, each with its index; as one with 'or' it would be a walk through all rows.
  const searches = [sql`select s.requisition_id from requisition_search s where ${sql.join(ranges, sql` or `)}`]
  if (digits.length >= 3)
    searches.push(sql`select s.requisition_id from requisition_search s where s.search_text like ${`%${digits}%`}`)
  return found(sql.join(searches, sql` union all `))
}

const searchConditions = (found: Found): Record<string, Condition> => ({
  search: (value) => searchCondition(value, found),
  patientFirstName: (value) => namePart(value, 2, found),
  patientLastName: (value) => namePart(value, 1, found),
})

/** Billed is what a batch was sent with: not what was taken out of it before, nor what waits in one. The day is that of its list. */
const dateBilled: Condition = (value) => {
  const { from, to } = daysAsked('dateBilled', value)
  return sql`l.requisition_id in (select i.requisition_id from billing_batch b join billing_batch_item i on i.batch_id = b.id
    where b.deleted_at is null and b.send_status_code = 'SENT' and i.left_out is null and ${isSentBetween(from, to)})`
}

const day: Condition = (value) => {
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
// The row itself names its tests. As 'exists' the planner would first gather every requisition with the test, of all years and clients.
const rowNamesTests = (tests: Sql): Sql =>
  sql`string_to_array(l.test_codes, ',') && array(select code from test where id in ${tests})`

/** There are far fewer combinations of tests than rows, and each row bears one: among all that is billed they are found by that. */
const bearsTests = (tests: Sql): Sql => sql`l.test_codes = any(array(select test_codes from (
  select test_codes from requisition_tests_count union select test_codes from requisition_tests_count_delta) known
  where string_to_array(test_codes, ',') && array(select code from test where id in ${tests})))`

export const codedTests = (value: FilterValue) => codesOf('test', texts(value))
export const comboTests = (value: FilterValue) =>
  sql`(select x.test_id from test_combo_test x join test_combo c on c.id = x.test_combo_id where c.code = any(${texts(value)}::text[]))`

const hasIssueOfDepartment: Condition = (value) =>
  sql`l.issue_department_ids && ${idsOf('issueDeptId', value)}::int[] and l.issue_department_ids <> '{}'`
const hasOpenIssues = sql`l.open_issue_count > 0`

export const requisitionConditions: Record<string, Condition> = {
  id: isOneOfIds(sql`l.requisition_id`, 'id'),
  reqId: isOneOfIds(sql`l.requisition_id`, 'reqId'),
  ...searchConditions(isAmong),
  patientDob: day,
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
  testCodes: (value) => withTests(codedTests(value)),
  testComboCode: (value) => withTests(comboTests(value)),
  reqBillTypeCode: isOneOf(sql`l.bill_type_code`),
  // The second half is what the index is made for: most rows have none.
  flag: (value) => sql`l.flag_ids && ${idsOf('flag', value)}::int[] and l.flag_ids <> '{}'`,
  passCodes: (value) =>
    sql`l.pass_reason_ids && array${codesOf('reason', texts(value), 'PASS')} and l.pass_reason_ids <> '{}'`,
  failCodes: (value) =>
    sql`exists (select from requisition_reason r where r.requisition_id = l.requisition_id and r.reason_id in ${codesOf('reason', texts(value), 'FAIL')})`,
  labNoteTypeCode: (value) =>
    sql`exists (select from lab_note n join lab_note_type t on t.id = n.type_id where n.requisition_id = l.requisition_id and n.deleted_at is null and t.code = any(${texts(value)}::text[]))`,
  issueDeptId: hasIssueOfDepartment,
  hasOpenIssues: () => hasOpenIssues,
}

/** Beside what the index is made for, issues that the reader does not find on their tab do not count. */
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

/** The same for a tab of the laboratory and for the requisitions of somebody's scope, whose rows can be looked at one by one. */
export const conditionsOfFew: Record<string, Condition> = {
  ...requisitionConditions,
  testCodes: (value) => rowNamesTests(codedTests(value)),
  testComboCode: (value) => rowNamesTests(comboTests(value)),
}

/** The same for a scope of very many clients. The planner thinks little of the wall, and would rather read through all of them than look up what is found. */
export const conditionsOfMany: Record<string, Condition> = { ...conditionsOfFew, ...searchConditions(isGathered) }

/** The same for all that has left the laboratory. */
export const conditionsOfBilled: Record<string, Condition> = {
  ...requisitionConditions,
  testCodes: (value) => bearsTests(codedTests(value)),
  testComboCode: (value) => bearsTests(comboTests(value)),
}
