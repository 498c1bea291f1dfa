import type { NewResult, NewResultTest } from '@lis/contract/home-practice.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import type { ReportContent, ReportResult } from '../reports/content.ts'
import { contentOfVersion, isContentForCurrentParties } from '../reports/queries.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

/** A result stays new until it is marked as reviewed. Results released this long before the account was created do not count as new. */
const daysBeforeAccount = 30
/** Of results that nobody marks, only the latest count: so many rows can be read quickly. */
const mostNew = 1000
/** Those with a critical call of any age, then the latest. The others are in the list behind the queue. */
const mostRanked = 50
const shownResults = 25

const since = ({ userId }: Actor): Sql =>
  sql`(select u.created_at - make_interval(days => ${daysBeforeAccount}) from app_user u where u.id = ${userId})`

const isReleased = sql`p.requisition_id = l.requisition_id and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE'`

const reviewed = ({ userId }: Actor): Sql =>
  sql`(select h.requisition_id from home_review h where h.user_id = ${userId})`

/** Most have no review, which is all that the reports are compared with. */
const isNotReviewed = (
  actor: Actor,
): Sql => sql`(l.is_downloadable and (l.requisition_id not in ${reviewed(actor)} or exists (
  select from report p join home_review h on h.user_id = ${actor.userId} and h.requisition_id = p.requisition_id where ${isReleased} and p.release_at > h.reviewed_at)))`

/** Not reviewed since the latest release, which may be a correction. Two sources, so that each uses its index. */
const isNew = (actor: Actor): Sql => sql`l.requisition_id in (
  (select l.requisition_id from requisition_list l where ${visibleRequisitions(actor)} and l.released_at > ${since(actor)} and ${isNotReviewed(actor)}
    order by l.released_at desc limit ${sql.lit(mostNew)})
  union (select l.requisition_id from requisition_list l where ${visibleRequisitions(actor)} and l.corrected_at > ${since(actor)} and l.released_at <= ${since(actor)} and ${isNotReviewed(actor)}
    order by l.corrected_at desc limit ${sql.lit(mostNew)}))`

const releasedAt = sql`(select max(p.release_at) from report p where ${isReleased})`

/** Since when it waits; a correction of a reviewed result waits since the correction. */
export const newSince = (actor: Actor): Sql =>
  sql`case when l.requisition_id in ${reviewed(actor)} then ${releasedAt} else l.released_at end`

/** Only the released reports of requisition `l`; `offset 0` makes PostgreSQL read each content once. */
const releasedVersions = sql`(select k.content, v.version_no, p.release_at, p.requisition_id from report p
    join report_version v on v.report_id = p.id and v.version_no = p.current_version_no
    cross join lateral (select ${contentOfVersion} as content offset 0) k where ${isReleased} and ${isContentForCurrentParties(sql`k.content`)})`

/** The tests of report `x` that were critical when it was released: a call raised later is about a result that is not released. */
const criticalCodes = sql`(select t.code from (select distinct on (c.test_id) c.test_id, c.is_critical from critical_call c
    where c.requisition_id = x.requisition_id and c.raised_at <= x.release_at order by c.test_id, c.id desc) k
  join test t on t.id = k.test_id where k.is_critical and exists (
    select from jsonb_array_elements(case jsonb_typeof(x.content -> 'results') when 'array' then x.content -> 'results' else '[]' end) e where e ->> 'code' = t.code))`

const releasedContents = sql`(select coalesce(json_agg(json_build_object('results', x.content -> 'results', 'changes', x.content -> 'changes', 'versionNo', x.version_no,
    'critical', array${criticalCodes}) order by x.release_at), '[]') from ${releasedVersions} x)`

const hasCriticalCall = sql`l.requisition_id in (select c.requisition_id from critical_call c where c.is_critical)`

/** Results that the person has not reviewed, the latest first. */
export const newResultList = (actor: Actor): ListDefinition => ({
  from: sql`requisition_list l join requisition_patient p on p.requisition_id = l.requisition_id join client c on c.id = l.client_id`,
  keys: { from: sql`requisition_list l`, key: sql`l.requisition_id` },
  where: [visibleRequisitions(actor), isNew(actor)],
  fields: {
    reqId: sql`l.requisition_id`,
    patientFirstName: sql`p.first_name`,
    patientLastName: sql`p.last_name`,
    patientDob: sql`l.patient_dob`,
    clientName: sql`c.name`,
    releasedDate: releasedAt,
    contents: releasedContents,
  },
  filter: { reqId: isOneOfIds(sql`l.requisition_id`, 'reqId') },
  defaultOrder: sql`l.released_at desc`,
  key: sql`l.requisition_id`,
  finish: (row) => toNewResult(row as unknown as ReleasedRow) as unknown as Record<string, unknown>,
})

interface ReleasedRow
  extends Omit<NewResult, 'isCorrected' | 'changes' | 'abnormalCount' | 'isCritical' | 'isAllNormal' | 'tests'> {
  contents: {
    results: ReportContent['results'] | null
    changes: string[] | null
    versionNo: number
    critical: string[]
  }[]
}

const toNewResult = ({ contents, ...row }: ReleasedRow): NewResult => {
  // A later report of the same requisition has the current value.
  const results = new Map(
    contents.flatMap(({ results, critical }) =>
      (results ?? []).map((result) => [result.code, { ...result, isCritical: critical.includes(result.code) }]),
    ),
  )
  const tests = [...results.values()].map(toTest)
  const isAllNormal =
    contents.every((one) => one.results !== null) &&
    [...results.values()].every((one) => one.isNormal && !one.isCritical)
  return {
    ...row,
    isCorrected: contents.some(({ versionNo }) => versionNo > 1) ? 1 : 0,
    changes: contents.flatMap(({ changes }) => changes ?? []),
    isAllNormal: isAllNormal && tests.length > 0 ? 1 : 0,
    abnormalCount: tests.filter((test) => rankOf(test) > 0).length,
    isCritical: tests.some(({ isCritical }) => isCritical === 1) ? 1 : 0,
    tests: tests.sort((one, other) => rankOf(other) - rankOf(one)),
  }
}

const rankOf = ({ isCritical, flag }: NewResultTest) => (isCritical === 1 ? 2 : flag !== '' ? 1 : 0)

const toTest = (result: ReportResult & { isCritical: boolean }): NewResultTest => {
  const earlier = result.earlier ?? []
  const numbers = [...earlier.map(({ value }) => value).reverse(), result.value].map(Number)
  return {
    testCode: result.code,
    testDesc: result.name,
    result: result.value,
    units: result.unit,
    flag: result.flag,
    range: result.range,
    borderline: result.borderline ?? '',
    interpretation: result.interpretation,
    isCritical: result.isCritical ? 1 : 0,
    previous: earlier[0]?.value ?? null,
    trend: numbers.every(Number.isFinite) ? numbers : [],
  }
}

/** Critical ones first, then abnormal ones, then the latest. */
export const readNewResults = async (db: Db, actor: Actor): Promise<NewResult[]> => {
  const list = newResultList(actor)
  const { rows } = await sql<{ row: ReleasedRow }>`
    select row_to_json(x) as row from (select ${sql.join(
      Object.entries(list.fields).map(([name, expression]) => sql`${expression} as ${sql.ref(name)}`),
    )} from ${list.from}
      where l.requisition_id in (select l.requisition_id from requisition_list l where ${sql.join(list.where, sql` and `)}
        order by ${hasCriticalCall} desc, l.released_at desc limit ${mostRanked})
      order by l.released_at desc) x`.execute(db)
  const results = rows.map(({ row }) => toNewResult(row))
  const rank = ({ isCritical, abnormalCount }: NewResult) => (isCritical === 1 ? 2 : abnormalCount > 0 ? 1 : 0)
  return results.sort((one, other) => rank(other) - rank(one)).slice(0, shownResults)
}
