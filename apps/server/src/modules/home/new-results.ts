import type { NewResult, NewResultTest } from '@lis/contract/home-practice.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import type { ReportContent, ReportResult } from '../reports/content.ts'
import { contentOfVersion, isForCurrentParties } from '../reports/queries.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

/** A result stays new for so long, unless it is marked as reviewed before. */
const newForDays = 30
/** Of these the abnormal ones come first; older ones are in the list behind the queue. */
const latestResults = 50
const shownResults = 25

const since = sql`now() - make_interval(days => ${newForDays})`

/** Released lately: for the first time, or again as a correction. Two sources, so that each has its index. */
const releasedLately = (actor: Actor): Sql => sql`l.requisition_id in (
  select l.requisition_id from requisition_list l where ${visibleRequisitions(actor)} and l.released_at > ${since}
  union select again.requisition_id from report again where again.first_release_at is not null and again.release_at > ${since}
    and again.lab_qc_status_code = 'RELEASE' and again.deleted_at is null)`

const isReleased = sql`p.requisition_id = l.requisition_id and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE'`

const isNotReviewed = ({
  userId,
}: Actor): Sql => sql`exists (select from report p where ${isReleased} and p.release_at >
  coalesce((select h.reviewed_at from home_review h where h.user_id = ${userId} and h.requisition_id = l.requisition_id), '-infinity'))`

export const releasedAt = sql`(select max(p.release_at) from report p where ${isReleased})`

/** The released reports of a requisition as they are, and nothing of others. */
const releasedContents = sql`(select coalesce(json_agg(json_build_object('results', x.content -> 'results', 'changes', x.content -> 'changes', 'versionNo', x.version_no)
    order by x.release_at), '[]')
  from (select ${contentOfVersion} as content, v.version_no, p.release_at from report p
    join report_version v on v.report_id = p.id and v.version_no = p.current_version_no where ${isReleased} and ${isForCurrentParties}) x)`

/** Results that the person has not reviewed, the latest first. */
export const newResultList = (actor: Actor): ListDefinition => ({
  from: sql`requisition_list l join requisition_patient p on p.requisition_id = l.requisition_id join client c on c.id = l.client_id`,
  keys: { from: sql`requisition_list l`, key: sql`l.requisition_id` },
  where: [visibleRequisitions(actor), releasedLately(actor), isNotReviewed(actor)],
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

interface ReleasedRow extends Omit<NewResult, 'isCorrected' | 'changes' | 'abnormalCount' | 'isAllNormal' | 'tests'> {
  contents: { results: ReportContent['results'] | null; changes: string[] | null; versionNo: number }[]
}

const toNewResult = ({ contents, ...row }: ReleasedRow): NewResult => {
  // A later report of the same requisition says the present value.
  const results = new Map(contents.flatMap(({ results }) => (results ?? []).map((result) => [result.code, result])))
  const tests = [...results.values()].map(toTest)
  const isAllNormal =
    contents.every((one) => one.results !== null) && [...results.values()].every((one) => one.isNormal)
  return {
    ...row,
    isCorrected: contents.some(({ versionNo }) => versionNo > 1) ? 1 : 0,
    changes: contents.flatMap(({ changes }) => changes ?? []),
    isAllNormal: isAllNormal && tests.length > 0 ? 1 : 0,
    abnormalCount: tests.filter(({ flag }) => flag !== '').length,
    tests: tests.sort((one, other) => Number(other.flag !== '') - Number(one.flag !== '')),
  }
}

const toTest = (result: ReportResult): NewResultTest => {
  const earlier = result.earlier ?? []
  const numbers = [...earlier.map(({ value }) => value).reverse(), result.value].map(Number)
  return {
    testCode: result.code,
    testDesc: result.name,
    result: result.value,
    units: result.unit,
    flag: result.flag,
    range: result.range,
    interpretation: result.interpretation,
    previous: earlier[0]?.value ?? null,
    trend: numbers.every(Number.isFinite) ? numbers : [],
  }
}

const isCritical = ({ tests }: NewResult) =>
  tests.some(({ flag, interpretation }) => flag !== '' && /critical/i.test(interpretation ?? ''))

/** The latest of them, critical ones first, then abnormal ones. */
export const readNewResults = async (db: Db, actor: Actor): Promise<NewResult[]> => {
  const list = newResultList(actor)
  const { rows } = await sql<{ row: ReleasedRow }>`
    select row_to_json(x) as row from (select ${sql.join(
      Object.entries(list.fields).map(([name, expression]) => sql`${expression} as ${sql.ref(name)}`),
    )} from ${list.from}
      where l.requisition_id in (select l.requisition_id from requisition_list l where ${sql.join(list.where, sql` and `)} order by l.released_at desc limit ${latestResults})
      order by l.released_at desc) x`.execute(db)
  const results = rows.map(({ row }) => toNewResult(row))
  const rank = (result: NewResult) => (isCritical(result) ? 2 : result.abnormalCount > 0 ? 1 : 0)
  return results.sort((one, other) => rank(other) - rank(one)).slice(0, shownResults)
}
