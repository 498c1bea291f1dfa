import { isDeepStrictEqual } from 'node:util'
import { withSingleSpaces } from '@lis/contract/patients.ts'
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
import { DateTime } from 'luxon'
import type { Db } from '../../platform/db/db.ts'
import { loadRuleBook } from '../lab-tests/rule-book.ts'
import { isRequisitionFailed } from '../requisition-record/queries.ts'

interface EarlierValue {
  at: string
  /** Where it was collected: there its month is read. Contents of earlier days lack it. */
  zone?: string
  value: string
}

/** One result as it stands on a report: every value is text, exactly as people read it. */
export interface ReportResult {
  code: string
  name: string
  loinc: string | null
  value: string
  unit: string | null
  range: string
  /** H above the normal range, L below it, A outside by its category alone; empty when normal, and when nobody knows what is normal. */
  flag: '' | 'H' | 'L' | 'A'
  /** Known to be normal, and not merely without a flag. Contents of earlier days do not say. */
  isNormal?: boolean
  /** The rules by which range and flag were found, as they are kept; results and contents of earlier days have none. */
  rulesId?: number
  interpretation: string | null
  comment: string | null
  failReasons: string | null
  /** Earlier values of the same patient, the newest first; only of the same practice, which has seen them before. */
  /** As they are printed beside it; a file made elsewhere does not print ours. */
  earlier?: EarlierValue[]
}

export type NamedTest = Pick<ReportResult, 'code' | 'name' | 'loinc'>

/** The whole name cannot be taken apart again: any part may hold commas and spaces. Contents of earlier days lack them. */
interface PatientNames {
  last: string
  first: string
  middle: string | null
}

/** Everything that a report says, as it was true when the version was made; it is kept with the version. */
export interface ReportContent {
  requisitionId: number
  patient: { name: string; names?: PatientNames; dob: string; sex: string; id: number }
  client: { name: string; id: string; address: string; phone: string }
  physician: { name: string; npi: string }
  collaborator: { name: string; nameFormat: string }
  lab: { name: string; director: string | null; npi: string | null; zone: string }
  collectedAt: string
  collectedZone: string
  receivedAt: string | null
  fasting: boolean | null
  extOrderId: string | null
  results: ReportResult[]
  /** Ordered, without a result that stands or a reason why there is none. */
  pending: string[]
  /** What was remarked of the whole order when it was accepted: 'Accepted, non-fasting specimen'. Contents of earlier days lack it. */
  comments?: string[]
  /** Whose it was, by their numbers: names and IDs of a practice may change. Contents of earlier days lack it. */
  owner?: { clientId: number; collaboratorId: number }
  /** Only a correction has them: 'changed from … to …'. */
  changes?: string[]
  /** Only a correction has it, and those of earlier days lack it: the version that they were compared with. */
  replacesVersionNo?: number
  /** Only a correction has it, and those of earlier days lack it: tests of which earlier versions say something, and this one nothing. */
  withdrawn?: NamedTest[]
}

interface StoredResult extends Omit<ReportResult, 'unit' | 'range' | 'flag' | 'isNormal' | 'rulesId'> {
  testId: number
  isModifiable: boolean
  result: string | null
  number: string | null
  rulesId: number | null
  rulesAtResultTime: InterpretationRules | null
}
interface Stored extends Omit<ReportContent, 'results' | 'owner'> {
  results: StoredResult[]
  isFailed: boolean
  owner: Required<ReportContent>['owner']
}

const earlierShown = 3

/**
 * An earlier value is printed again only while a report is out that says it; what a file made elsewhere says is not known, but nothing of a
 * requisition that has failed as a whole is this patient's. A subquery with a value is looked up row by row, from the newest on, and only until enough are found: histories may be long.
 */
const isReported = sql`(select true from report p join report_version v on v.report_id = p.id and v.version_no = p.current_version_no
  where p.requisition_id = h.id and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE' and not ${isRequisitionFailed(sql`p.requisition_id`)}
    and (not v.is_made_here or v.content -> 'results' @> jsonb_build_array(jsonb_build_object('code', te.code, 'value', h.value))) limit 1)`

/** The texts of the fail codes of a test `rt`, those of its whole requisition among them; null where there is none. */
export const failReasonsOf = sql`(select string_agg(f.description, '; ' order by f.code) from (select reason_id from requisition_test_reason where requisition_test_id = rt.id
  union select reason_id from requisition_reason where requisition_id = rt.requisition_id) x join reason f on f.id = x.reason_id and f.type_code = 'FAIL')`

/** A fail code on the whole requisition `r`: none of its tests counts as performed, whatever has been entered. */
export const isFailedWhole = isRequisitionFailed(sql`r.id`)

/** What is printed below a result of test `rt`: the word of the rules, and the texts of its pass codes that are comments. */
export const commentOf = sql`nullif(concat_ws('; ', rt.comment, (select string_agg(f.description, '; ' order by f.code) from requisition_test_reason x
  join reason f on f.id = x.reason_id and f.type_code = 'PASS' and f.is_comment where x.requisition_test_id = rt.id)), '')`

export const orderCommentsOf = sql`coalesce((select jsonb_agg(f.description order by f.code) from requisition_reason x
  join reason f on f.id = x.reason_id and f.type_code = 'PASS' and f.is_comment where x.requisition_id = r.id), '[]')`

/** In one query and the rules of the tests: reports are made by the thousand. */
export const findReportContent = async (db: Db, requisitionId: number): Promise<ReportContent> => {
  const { rows } = await sql<{ content: Stored }>`select row_to_json(x) as content from (
    select r.id as "requisitionId", json_build_object('clientId', r.client_id, 'collaboratorId', r.collaborator_id) as owner,
      json_build_object('name', p.last_name || ', ' || p.first_name || coalesce(' ' || p.middle_name, ''),
        'names', json_build_object('last', p.last_name, 'first', p.first_name, 'middle', p.middle_name), 'dob', p.dob, 'sex', p.gender_code, 'id', p.id) as patient,
      json_build_object('name', c.name, 'id', c.legacy_client_id, 'address', concat_ws(', ', c.addr1, c.addr2, c.city, s.code || ' ' || c.zip), 'phone', c.phone) as client,
      json_build_object('name', ph.first_name || ' ' || ph.last_name || case when ph.title in ('', 'None') then '' else ', ' || ph.title end, 'npi', ph.npi_number) as physician,
      json_build_object('name', co.name, 'nameFormat', co.report_name_format_code) as collaborator,
      json_build_object('name', lab.name, 'director', co.lab_director, 'npi', co.lab_npi, 'zone', lab.zone) as lab,
      r.collected_at as "collectedAt", r.collected_zone as "collectedZone",
      (select min(received_at) from specimen where requisition_id = r.id and deleted_at is null) as "receivedAt", r.is_fasting as fasting, r.ext_order_id as "extOrderId",
      ${isFailedWhole} as "isFailed", ${orderCommentsOf} as comments,
      coalesce((select json_agg(t order by t.sort, t.code) from (
        select te.sort_order as sort, te.id as "testId", te.code, te.description as name, te.loinc_code as loinc, coalesce(rt.reportable_result, rt.result, '') as value,
          rt.is_modifiable as "isModifiable", rt.result, rt.result_num::text as number, rt.interpretation, ${commentOf} as comment,
          rt.rules_id as "rulesId", (select rules from result_rules where id = rt.rules_id) as "rulesAtResultTime",
          ${failReasonsOf} as "failReasons",
          coalesce((select json_agg(json_build_object('at', e.at, 'zone', e.zone, 'value', e.value) order by e.at desc) from (
            select h.at, h.zone, h.value from (select r2.id, r2.collected_at as at, r2.collected_zone as zone, coalesce(o.reportable_result, o.result) as value from requisition r2 join requisition_test o on o.requisition_id = r2.id
            where r2.patient_id = r.patient_id and r2.client_id = r.client_id and r2.collaborator_id = r.collaborator_id and r2.id <> r.id and r2.deleted_at is null and r2.collected_at < r.collected_at and o.test_id = rt.test_id
              and o.deleted_at is null and not o.is_retest and not o.is_modifiable and o.result is not null
              order by r2.collected_at desc offset 0) h
            where ${isReported} order by h.at desc limit ${sql.lit(earlierShown)}) e), '[]') as earlier
        from requisition_test rt join test te on te.id = rt.test_id
        where rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest) t), '[]') as results,
      '[]'::json as pending
    from requisition r join requisition_patient p on p.requisition_id = r.id join client c on c.id = r.client_id join state s on s.id = c.state_id
      join physician ph on ph.id = r.physician_id join collaborator co on co.id = r.collaborator_id join lab on lab.id = r.lab_id
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
  /** Why nothing could be calculated, as far as that is for its inputs: a calculated result is not entered, and waits for nothing else. */
  const missingFor = (result: StoredResult): string[] =>
    inputsOf(result).flatMap(({ key, input }) => {
      if (!input) return [`${book.byKey(collaboratorId, key).test.testCode} is not ordered`]
      if (parseDecimal(input.result ?? '')) return []
      return [`${input.name}: ${input.value || (input.failReasons ?? notCalculatedText)}`]
    })
  // A result whose modification is open is in doubt, as is what was calculated from it: it counts as missing here, as for the status.
  const isOpen = (result: StoredResult): boolean => {
    if (result.isModifiable) return true
    if (inputsOf(result).some(({ input }) => input && isOpen(input))) return true
    return result.value === '' && result.failReasons === null && missingFor(result).length === 0
  }
  const finished = (result: StoredResult): StoredResult =>
    result.value !== '' || result.failReasons !== null
      ? result
      : { ...result, value: notCalculatedText, comment: joined([...missingFor(result), result.comment]) }
  return {
    ...content,
    results: results
      .filter((result) => !isOpen(result))
      .map((result) =>
        described(
          finished(result),
          rulesAtResultTime(rulesFor(result), result.rulesAtResultTime),
          content.patient.sex as Sex,
        ),
      ),
    pending: results.filter(isOpen).map(({ name }) => name),
  }
}

const withoutResult = (result: StoredResult): StoredResult => ({
  ...result,
  value: '',
  result: null,
  number: null,
  interpretation: null,
  comment: null,
  isModifiable: false,
})

const joined = (texts: readonly (string | null)[]) => texts.filter(Boolean).join('; ')

const described = (stored: StoredResult, rules: TestRules, sex: Sex): ReportResult => ({
  code: stored.code,
  name: stored.name,
  loinc: stored.loinc,
  value: stored.value,
  unit: rules.units,
  range: rangeText(rules, sex),
  ...judged(stored, rules, sex),
  ...(stored.rulesId !== null && { rulesId: stored.rulesId }),
  interpretation: stored.interpretation,
  comment: stored.comment,
  failReasons: stored.failReasons,
  earlier: stored.earlier,
})

const rangeText = (rules: TestRules, sex: Sex) => {
  const { lo = null, hi = null } = rangesFor(rules, sex).find(({ band }) => band === 'normal') ?? {}
  if (lo !== null && hi !== null) return `${lo} - ${hi}`
  if (hi !== null) return `<= ${hi}`
  return lo === null ? '' : `>= ${lo}`
}

/** By the rounded value, as the interpretation is: what is printed as 199 is not above 199. Without a range nothing is said. */
const judged = (
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

/**
 * What differs between two versions, in whole lines; a reader of the correction must not have to search for it. Whatever `outdatedIn`
 * finds is among it: a correction that this made necessary must not say that nothing has changed.
 */
export const changesBetween = (before: ReportContent | null, now: ReportContent): string[] => {
  if (!before) return ['What the version before said is not known here: please compare the two.']
  const changed = (label: string, from: string, to: string) =>
    from === to ? [] : [`${label} changed from ${from || '(none)'} to ${to || '(none)'}`]
  // What was said about somebody else, or to somebody else, is not for the reader of this version.
  if (before.patient.id !== now.patient.id)
    return [
      'Patient changed: the earlier version was about another person. Please read every value on this report anew.',
    ]
  const isSameClient =
    before.owner && now.owner ? before.owner.clientId === now.owner.clientId : before.client.id === now.client.id
  const facts = (content: ReportContent): [string, string][] => [
    ['Patient', withSingleSpaces(content.patient.name)],
    ['Date of birth', dateOnly(content.patient.dob)],
    ['Sex', sexText(content.patient.sex)],
    ...(isSameClient ? practiceFacts(content) : []),
    ['Laboratory', content.lab.name],
    ['Date collected', momentText(content.collectedAt, content.collectedZone)],
    ['Fasting', fastingText(content.fasting)],
    ['Comment', joined(content.comments ?? [])],
  ]
  const isSameCollaborator = !before.owner || !now.owner || before.owner.collaboratorId === now.owner.collaboratorId
  const byName = ({ results }: ReportContent) => new Map(results.map((result) => [result.name, result]))
  const [old, fresh] = [byName(before), byName(now)]
  const names = new Set([...old.keys(), ...fresh.keys()])
  const oldRanges = new Map(before.results.map(({ name, range }) => [name, range]))
  return [
    ...(isSameClient ? [] : ['Client changed: the earlier version was issued for another practice']),
    ...(isSameCollaborator ? [] : ['Collaborator changed: the earlier version was issued for another one']),
    ...facts(now).flatMap(([label, text], index) => changed(label, facts(before)[index]?.[1] ?? '', text)),
    ...[...names].flatMap((name) => [
      ...changed(name, valueText(old.get(name)), valueText(fresh.get(name))),
      ...commentChange(name, old.get(name)?.comment, fresh.get(name)?.comment),
    ]),
    // The flag follows from value and range.
    ...now.results.flatMap(({ name, range }) => changed(`${name}: range`, oldRanges.get(name) ?? range, range)),
    // Not which: they may have been somebody else's.
    ...withOtherEarlier(before, now).map(({ name }) => `${name}: earlier values changed`),
  ]
}

/** A value and what is remarked below it are two things: in one line they would make no sentence. */
const commentChange = (name: string, from: string | null | undefined, to: string | null | undefined): string[] => {
  if ((from ?? '') === (to ?? '')) return []
  if (!from) return [`${name}: comment added: "${to}"`]
  return [`${name}: the comment "${from}" ${to ? `was replaced by "${to}"` : 'no longer applies'}`]
}

/** Codes of the results that are not what the version before said of them; all of them where that was about somebody else. */
export const changedCodes = (before: ReportContent | null, now: ReportContent): string[] => {
  if (!before) return []
  const said = new Map(before.results.map((result) => [result.code, result]))
  const isSame = (result: ReportResult) => {
    const old = said.get(result.code)
    return old !== undefined && inWords(old) === inWords(result) && old.range === result.range
  }
  const isOther = before.patient.id !== now.patient.id
  return now.results.filter((result) => isOther || !isSame(result)).map(({ code }) => code)
}

/** What a system that keeps results one by one would go on showing: said before, of this patient, and not said any more. */
export const withdrawnSince = (before: ReportContent | null, now: ReportContent): NamedTest[] => {
  if (before?.patient.id !== now.patient.id) return []
  const codes = new Set(now.results.map(({ code }) => code))
  return [...before.results, ...(before.withdrawn ?? [])].flatMap(({ code, name, loinc }) =>
    codes.has(code) ? [] : [{ code, name, loinc }],
  )
}

/** What a report made here says that is no longer so, by its labels. Tests that have come since are not among it: it may be a partial one. */
export const outdatedIn = (made: ReportContent, now: ReportContent): string[] => {
  const facts = (content: ReportContent): [string, unknown][] => {
    const { patient, owner, physician } = content
    return [
      ['Patient', [patient.id, withSingleSpaces(patient.name), patient.dob, patient.sex]],
      ['Client', owner?.clientId],
      ['Collaborator', owner?.collaboratorId],
      // Two physicians may have one name.
      ['Ordering physician', [physician.name, physician.npi]],
      ['Laboratory', content.lab.name],
      ['Date collected', Date.parse(content.collectedAt)],
      ['Order ID', content.extOrderId],
      ['Fasting', content.fasting],
      ['Comment', content.comments],
    ]
  }
  const today = new Map(facts(now))
  const results = new Map(now.results.map((result) => [result.code, result]))
  // Before pass codes were printed, none of them was missing below a result.
  const words = made.comments === undefined ? (one: ReportResult) => inWords({ ...one, comment: null }) : inWords
  const isSaidNow = (said: ReportResult) => {
    const result = results.get(said.code)
    if (!result || words(result) !== words(said)) return false
    // Without kept rules the range is today's, and the report says the one by which the result was interpreted.
    return result.rulesId === undefined || (result.range === said.range && result.flag === said.flag)
  }
  return [
    ...facts(made)
      .filter(([label, said]) => said !== undefined && !isDeepStrictEqual(said, today.get(label)))
      .map(([label]) => label),
    ...made.results.filter((result) => !isSaidNow(result)).map(({ code }) => code),
    ...withOtherEarlier(made, now).map(({ code }) => `${code}: earlier values`),
  ]
}

/** What was said beside earlier values that are not those of today. */
const withOtherEarlier = (said: ReportContent, now: ReportContent): ReportResult[] => {
  const today = new Map(now.results.map(({ code, earlier }) => [code, earlier]))
  return said.results.filter(({ code, earlier = [] }) => {
    const known = today.get(code)
    return known !== undefined && !earlier.every((value) => isAmong(known, value))
  })
}

/** Said today, or only not said because there are enough newer ones: what is gone was somebody else's, was corrected or is in doubt. */
const isAmong = (known: readonly EarlierValue[], { at, value }: EarlierValue) => {
  const moment = Date.parse(at)
  return (
    known.some((one) => Date.parse(one.at) === moment && one.value === value) ||
    (known.length >= earlierShown && known.every((one) => Date.parse(one.at) > moment))
  )
}

/** What only those may read again whose order it was; its number is theirs too. */
const practiceFacts = ({ client, physician, extOrderId }: ReportContent): [string, string][] => [
  ['Client', client.name],
  ['Ordering physician', physician.name],
  ['NPI of the ordering physician', physician.npi],
  ['Order ID', extOrderId ?? ''],
]

/** What stands in place of a result that a fail code takes off. */
export const notReported = (failReasons: string) => `Not reported: ${failReasons}`

const valueText = (result: ReportResult | undefined): string => {
  if (!result) return ''
  const { value, unit, interpretation, failReasons } = result
  if (value === '') return failReasons ? notReported(failReasons) : ''
  const measured = value !== notCalculatedText && unit
  return [value, measured, interpretation && `(${interpretation})`].filter(Boolean).join(' ')
}

const inWords = (result: ReportResult) => joined([valueText(result), result.comment])

/** As they stand on a report. */
export const sexText = (code: string) => (code === 'MALE' ? 'Male' : 'Female')
export const fastingText = (fasting: boolean | null) => (fasting === null ? 'Not stated' : fasting ? 'Yes' : 'No')
export const dateOnly = (iso: string) => DateTime.fromISO(iso).toFormat('MM/dd/yyyy')
export const momentText = (iso: string, zone: string) =>
  DateTime.fromISO(iso, { zone }).toFormat('MM/dd/yyyy HH:mm ZZZZ')

/** Every text that a report prints, with what it is. */
export const textsOf = (content: ReportContent): [what: string, text: string][] => [
  ["the patient's name", content.patient.name],
  ['the client', Object.values(content.client).join(' ')],
  ['the physician', content.physician.name],
  ['the laboratory', [content.lab.name, content.lab.director].join(' ')],
  ['the order ID', content.extOrderId ?? ''],
  ['the comment', joined(content.comments ?? [])],
  ...content.results.map(
    ({ name, value, unit, interpretation, comment, failReasons, earlier = [] }): [string, string] => [
      name,
      [name, value, unit, interpretation, comment, failReasons, ...earlier.map((one) => one.value)].join(' '),
    ],
  ),
  ['the tests in work', content.pending.join(' ')],
]
