import { compare, parseDecimal, roundTo } from '@lis/contract/results/decimal.ts'
import { rangesFor } from '@lis/contract/results/display.ts'
import { formulaKeys, notCalculatedText } from '@lis/contract/results/engine.ts'
import {
  bandsFor,
  type InterpretationRules,
  rulesAtResultTime,
  type Sex,
  type TestRules,
} from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { loadRuleBook } from '../lab-tests/rule-book.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { isRequisitionFailed } from '../requisition-record/queries.ts'

export interface EarlierValue {
  at: string
  /** The zone of its collection, for its month. Missing in older content. */
  zone?: string
  value: string
}

/** The person who was called about a critical value and read it back. */
interface CriticalCallNote {
  to: string
  at: string
}

/** One result as it is printed; every value is text. */
export interface ReportResult {
  code: string
  name: string
  loinc: string | null
  value: string
  unit: string | null
  range: string
  /** The borderline limits, '200 - 239'; empty without any. Missing in older content. */
  borderline?: string
  /** H above the normal range, L below it, A outside by category; empty if normal, or if no normal range is known. */
  flag: '' | 'H' | 'L' | 'A'
  /** Known to be normal, not merely without a flag. Missing in older content. */
  isNormal?: boolean
  /** The stored rules of range and flag. Missing in older results and content. */
  rulesId?: number
  interpretation: string | null
  comment: string | null
  failReasons: string | null
  /** The call about its critical value. Missing in older content. */
  called?: CriticalCallNote | null
  /** The result because of which a reflex rule has added the test. Missing in older content. */
  reflexCause?: string | null
  /** The laboratory that performed the test, if that is not the one of the report. Missing in older content. */
  performedBy?: ReportLab | null
  /** Earlier values of the same patient and practice as printed, newest first. Files made elsewhere do not print them. */
  earlier?: EarlierValue[]
}

export type NamedTest = Pick<ReportResult, 'code' | 'name' | 'loinc'>

interface ReportSpecimen {
  type: string
  container: string
}

/** Separate, because the full name cannot be split: each part may have commas and spaces. Missing in older content. */
interface PatientNames {
  last: string
  first: string
  middle: string | null
}

/** The record of the laboratory at that time. All but name, director and zone are missing in older content. */
interface ReportLab {
  name: string
  director: string | null
  zone: string
  address?: string
  /** Street, city and zip are known; missing in older content. */
  isAddressComplete?: boolean
  phone?: string | null
  clia?: string | null
  accreditations?: string[]
}

/** Everything that a report says, as of the time the version was made; stored with the version. */
export interface ReportContent {
  requisitionId: number
  patient: { name: string; names?: PatientNames; dob: string; sex: string; id: number }
  client: { name: string; id: string; address: string; phone: string }
  physician: { name: string; npi: string }
  /** Its wording and logo are missing in older content. */
  collaborator: { name: string; nameFormat: string; wording?: string | null; logoId?: number | null }
  lab: ReportLab
  collectedAt: string
  collectedZone: string
  receivedAt: string | null
  fasting: boolean | null
  extOrderId: string | null
  results: ReportResult[]
  /** Ordered tests with neither a valid result nor a fail code. */
  pending: string[]
  /** Comments on the order from its acceptance: 'Accepted, non-fasting specimen'. Missing in older content. */
  comments?: string[]
  /** What was received, and whether it met the criteria. Missing in older content. */
  specimens?: ReportSpecimen[]
  /** By internal ids, because names and IDs of a practice may change. Missing in older content. */
  owner?: { clientId: number; collaboratorId: number }
  /** Of a correction: 'changed from … to …'. */
  changes?: string[]
  /** Of a correction: the version it was compared with. Missing in older ones. */
  replacesVersionNo?: number
  /** Of a correction: tests that earlier versions report and this one does not. Missing in older ones. */
  withdrawn?: NamedTest[]
}

interface StoredResult extends Omit<ReportResult, 'unit' | 'range' | 'borderline' | 'flag' | 'isNormal' | 'rulesId'> {
  testId: number
  isModifiable: boolean
  result: string | null
  number: string | null
  rulesId: number | null
  storedRules: InterpretationRules | null
}
interface Stored extends Omit<ReportContent, 'results' | 'owner'> {
  results: StoredResult[]
  isFailed: boolean
  owner: Required<ReportContent>['owner']
}

export const maxEarlierValues = 3

/**
 * An earlier value is printed only while a released report has it (a file made elsewhere may have it), and never from a failed requisition.
 * A scalar subquery is evaluated row by row from the newest, and only until enough values are found: histories may be long.
 */
const isReported = sql`(select true from report p join report_version v on v.report_id = p.id and v.version_no = p.current_version_no
  where p.requisition_id = h.id and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE' and not ${isRequisitionFailed(sql`p.requisition_id`)}
    and (not v.is_made_here or v.content -> 'results' @> jsonb_build_array(jsonb_build_object('code', te.code, 'value', h.value))) limit 1)`

/** The texts of the fail codes of test `rt` and of its requisition; null if there is none. */
export const failReasonsSql = sql`(select string_agg(f.description, '; ' order by f.code) from (select reason_id from requisition_test_reason where requisition_test_id = rt.id
  union select reason_id from requisition_reason where requisition_id = rt.requisition_id) x join reason f on f.id = x.reason_id and f.type_code = 'FAIL')`

/** Requisition `r` has a fail code: none of its tests counts as performed, even with a result. */
export const isFailedRequisition = isRequisitionFailed(sql`r.id`)

/** Printed below the result of test `rt`: the comment of the rules and the pass codes that are comments. */
export const resultCommentSql = sql`nullif(concat_ws('; ', rt.comment, (select string_agg(f.description, '; ' order by f.code) from requisition_test_reason x
  join reason f on f.id = x.reason_id and f.type_code = 'PASS' and f.is_comment where x.requisition_test_id = rt.id)), '')`

/** The call about the present value of test `rt` of requisition `r`, once it was read back. */
const calledSql = sql`(select json_build_object('to', a.called_to || coalesce(' (' || a.role || ')', ''), 'at', a.called_at)
  from critical_call k join critical_attempt a on a.call_id = k.id and a.is_read_back_ok
  where k.state = 'CLOSED' and k.id = (select max(id) from critical_call where requisition_id = r.id and test_id = rt.test_id) order by a.id desc limit 1)`

/** The result that made a reflex rule add test `rt` of requisition `r`. */
const reflexCauseSql = sql`(select cause.description || ' ' || e.value from reflex_event e join requisition_test o on o.id = e.requisition_test_id
  join test cause on cause.id = o.test_id where e.requisition_id = r.id and e.rule_id = rt.reflex_rule_id and e.problem is null)`

/** The record of laboratory `lab`, with its state `ls` and country `lc`. */
const labRecordSql = sql`json_build_object('name', lab.name, 'director', lab.director_name, 'zone', lab.zone,
  'address', concat_ws(', ', lab.addr1, lab.addr2, lab.city, nullif(concat_ws(' ', ls.code, lab.zip), ''), nullif(lc.iso2, 'US')), 'isAddressComplete', lab.addr1 is not null and lab.city is not null and lab.zip is not null,
  'phone', lab.phone, 'clia', lab.clia_number,
  'accreditations', coalesce((select json_agg(a.body_name || ' ' || a.accreditation_number order by a.position) from lab_accreditation a where a.lab_id = lab.id), '[]'))`

/** The laboratory of the instrument that has measured test `rt`, if it is not that of requisition `r`. */
const performedBySql = sql`(select ${labRecordSql} from instrument m join lab on lab.id = m.lab_id
  left join state ls on ls.id = lab.state_id left join country lc on lc.id = lab.country_id where m.id = rt.instrument_id and m.lab_id <> r.lab_id)`

export const orderCommentsSql = sql`coalesce((select jsonb_agg(f.description order by f.code) from requisition_reason x
  join reason f on f.id = x.reason_id and f.type_code = 'PASS' and f.is_comment where x.requisition_id = r.id), '[]')`

/** One query besides the rules of the tests: reports are made by the thousand. */
export const findReportContent = async (db: Db, requisitionId: number): Promise<ReportContent> => {
  const { rows } = await sql<{ content: Stored }>`select row_to_json(x) as content from (
    select r.id as "requisitionId", json_build_object('clientId', r.client_id, 'collaboratorId', r.collaborator_id) as owner,
      json_build_object('name', p.last_name || ', ' || p.first_name || coalesce(' ' || p.middle_name, ''),
        'names', json_build_object('last', p.last_name, 'first', p.first_name, 'middle', p.middle_name), 'dob', p.dob, 'sex', p.gender_code, 'id', p.id) as patient,
      json_build_object('name', c.name, 'id', c.legacy_client_id, 'address', concat_ws(', ', c.addr1, c.addr2, c.city, s.code || ' ' || c.zip), 'phone', c.phone) as client,
      json_build_object('name', ph.first_name || ' ' || ph.last_name || case when ph.title in ('', 'None') then '' else ', ' || ph.title end, 'npi', ph.npi_number) as physician,
      json_build_object('name', co.name, 'nameFormat', co.report_name_format_code, 'wording', co.report_wording, 'logoId', co.report_logo_id) as collaborator,
      ${labRecordSql} as lab,
      r.collected_at as "collectedAt", r.collected_zone as "collectedZone",
      (select min(received_at) from specimen where requisition_id = r.id and deleted_at is null) as "receivedAt", r.is_fasting as fasting, r.ext_order_id as "extOrderId",
      ${isFailedRequisition} as "isFailed", ${orderCommentsSql} as comments,
      (select coalesce(json_agg(json_build_object('type', ${lookupDescriptionOrCode('SPECIMENTYPE', sql`s.type_code`)}, 'container', ${lookupDescriptionOrCode('CONTAINERTYPE', sql`s.container_code`)}) order by s.id), '[]')
        from specimen s where s.requisition_id = r.id and s.deleted_at is null) as specimens,
      coalesce((select json_agg(t order by t.sort, t.code) from (
        select te.sort_order as sort, te.id as "testId", te.code, te.description as name, te.loinc_code as loinc, coalesce(rt.reportable_result, rt.result, '') as value,
          rt.is_modifiable as "isModifiable", rt.result, rt.result_num::text as number, rt.interpretation, ${resultCommentSql} as comment,
          rt.rules_id as "rulesId", (select rules from result_rules where id = rt.rules_id) as "storedRules",
          ${failReasonsSql} as "failReasons", ${calledSql} as called, ${reflexCauseSql} as "reflexCause", ${performedBySql} as "performedBy",
          coalesce((select json_agg(json_build_object('at', e.at, 'zone', e.zone, 'value', e.value) order by e.at desc) from (
            select h.at, h.zone, h.value from (select r2.id, r2.collected_at as at, r2.collected_zone as zone, coalesce(o.reportable_result, o.result) as value from requisition r2 join requisition_test o on o.requisition_id = r2.id
            where r2.patient_id = r.patient_id and r2.client_id = r.client_id and r2.collaborator_id = r.collaborator_id and r2.id <> r.id and r2.deleted_at is null and r2.collected_at < r.collected_at and o.test_id = rt.test_id
              and o.deleted_at is null and not o.is_retest and not o.is_modifiable and o.result is not null
              order by r2.collected_at desc offset 0) h
            where ${isReported} order by h.at desc limit ${sql.lit(maxEarlierValues)}) e), '[]') as earlier
        from requisition_test rt join test te on te.id = rt.test_id
        where rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest) t), '[]') as results,
      '[]'::json as pending
    from requisition r join requisition_patient p on p.requisition_id = r.id join client c on c.id = r.client_id join state s on s.id = c.state_id
      join physician ph on ph.id = r.physician_id join collaborator co on co.id = r.collaborator_id join lab on lab.id = r.lab_id
      left join state ls on ls.id = lab.state_id left join country lc on lc.id = lab.country_id
    where r.id = ${requisitionId}::bigint) x`.execute(db)
  const { results: stored, isFailed, ...content } = (rows[0] as { content: Stored }).content
  const results = isFailed ? stored.map(withoutResult) : stored
  const { collaboratorId } = content.owner
  const book = await loadRuleBook(db, [collaboratorId])
  const rulesFor = ({ testId }: StoredResult) => book.of(collaboratorId, testId)
  const byKey = new Map(results.map((result) => [rulesFor(result).test.resultKey, result]))
  const inputsOf = (result: StoredResult): { key: string; input: StoredResult | undefined }[] => {
    const { formula } = rulesFor(result).test
    if (!formula || result.failReasons !== null) return []
    return formulaKeys(formula).map((key) => ({ key, input: byKey.get(key) }))
  }
  /** The inputs for lack of which nothing could be calculated. */
  const missingInputs = (result: StoredResult): string[] =>
    inputsOf(result).flatMap(({ key, input }) => {
      if (!input) return [`${book.byKey(collaboratorId, key).test.testCode} is not ordered`]
      if (parseDecimal(input.result ?? '')) return []
      return [`${input.name}: ${input.value || (input.failReasons ?? notCalculatedText)}`]
    })
  // A result that is open for modification counts as missing, as do results calculated from it; the same holds for the status.
  const isPending = (result: StoredResult): boolean => {
    if (result.isModifiable) return true
    if (inputsOf(result).some(({ input }) => input && isPending(input))) return true
    return result.value === '' && result.failReasons === null && missingInputs(result).length === 0
  }
  const withNotCalculated = (result: StoredResult): StoredResult =>
    result.value !== '' || result.failReasons !== null
      ? result
      : { ...result, value: notCalculatedText, comment: joinTexts([...missingInputs(result), result.comment]) }
  return {
    ...content,
    results: results
      .filter((result) => !isPending(result))
      .map((result) =>
        toReportResult(
          withNotCalculated(result),
          rulesAtResultTime(rulesFor(result), result.storedRules),
          content.patient.sex as Sex,
        ),
      ),
    pending: results.filter(isPending).map(({ name }) => name),
  }
}

const withoutResult = (result: StoredResult): StoredResult => ({
  ...result,
  value: '',
  result: null,
  number: null,
  interpretation: null,
  comment: null,
  called: null,
  performedBy: null,
  isModifiable: false,
})

export const joinTexts = (texts: readonly (string | null)[]) => texts.filter(Boolean).join('; ')

const toReportResult = (stored: StoredResult, rules: TestRules, sex: Sex): ReportResult => ({
  code: stored.code,
  name: stored.name,
  loinc: stored.loinc,
  value: stored.value,
  unit: rules.units,
  range: rangeText(rules, sex, 'normal'),
  borderline: rangeText(rules, sex, 'borderline'),
  ...flagOf(stored, rules, sex),
  ...(stored.rulesId !== null && { rulesId: stored.rulesId }),
  interpretation: stored.interpretation,
  comment: stored.comment,
  failReasons: stored.failReasons,
  ...(stored.called && { called: stored.called }),
  ...(stored.reflexCause && { reflexCause: stored.reflexCause }),
  performedBy: stored.performedBy ?? null,
  earlier: stored.earlier,
})

/** In the characters of HL7; `limitsText` prints it. */
const rangeText = (rules: TestRules, sex: Sex, name: 'normal' | 'borderline') => {
  const { lo = null, hi = null } = rangesFor(rules, sex).find(({ band }) => band === name) ?? {}
  if (lo !== null && hi !== null) return `${lo} - ${hi}`
  if (hi !== null) return `<= ${hi}`
  return lo === null ? '' : `>= ${lo}`
}

/** By the rounded value, like the interpretation: what is printed as 199 is not above 199. Empty without a range. */
const flagOf = (
  { result, number }: StoredResult,
  rules: TestRules,
  sex: Sex,
): Required<Pick<ReportResult, 'flag' | 'isNormal'>> => {
  const band = rules.test.options?.find(({ code }) => code === result)?.band
  if (band) return { flag: band === 'normal' ? '' : 'A', isNormal: band === 'normal' }
  const exact = parseDecimal(number ?? '')
  const normal = bandsFor(rules, sex).find(({ name }) => name === 'normal')
  if (!exact || !normal) return { flag: '', isNormal: false }
  const rounded = roundTo(exact, rules.digits)
  if (normal.hi && compare(rounded, normal.hi) > 0) return { flag: 'H', isNormal: false }
  if (normal.lo && compare(rounded, normal.lo) < 0) return { flag: 'L', isNormal: false }
  return { flag: '', isNormal: true }
}

/** The laboratories that have performed tests, that of the report first. */
export const performingLabs = ({ lab, results }: ReportContent): ReportLab[] => {
  const others = new Map(results.flatMap(({ performedBy }) => (performedBy ? [[performedBy.name, performedBy]] : [])))
  return [lab, ...others.values()]
}

/** As stored for a file made elsewhere, which does not print our earlier values. */
export const withoutEarlierValues = (content: ReportContent): ReportContent => ({
  ...content,
  results: content.results.map(({ earlier: _, ...result }) => result),
})
