import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** One result as it stands on a report: every value is text, exactly as people read it. */
export interface ReportResult {
  code: string
  name: string
  loinc: string | null
  value: string
  unit: string | null
  range: string
  /** H above the normal range, L below it, A outside by interpretation alone; empty when normal. */
  flag: '' | 'H' | 'L' | 'A'
  interpretation: string | null
  comment: string | null
  failReasons: string | null
  /** Earlier values of the same patient, the newest first. */
  earlier: { at: string; value: string }[]
}

/** Everything that a report says, as it was true when the version was made; it is kept with the version. */
export interface ReportContent {
  requisitionId: number
  patient: { name: string; dob: string; sex: string; id: number }
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
  /** Ordered, without a result or a reason why there is none. */
  pending: string[]
  /** Only a correction has them: 'changed from … to …'. */
  changes?: string[]
}

interface StoredResult extends Omit<ReportResult, 'range' | 'flag'> {
  number: number | null
  lo: number | null
  hi: number | null
  isNormal: boolean | null
}
interface Stored extends Omit<ReportContent, 'results'> {
  results: StoredResult[]
}

const earlierShown = 3

/** In one query: reports are made by the thousand. */
export const findReportContent = async (db: Db, requisitionId: number): Promise<ReportContent> => {
  const { rows } = await sql<{ content: Stored }>`select row_to_json(x) as content from (
    select r.id as "requisitionId",
      json_build_object('name', p.last_name || ', ' || p.first_name || coalesce(' ' || p.middle_name, ''), 'dob', p.dob, 'sex', p.gender_code, 'id', p.id) as patient,
      json_build_object('name', c.name, 'id', c.legacy_client_id, 'address', concat_ws(', ', c.addr1, c.addr2, c.city, s.code || ' ' || c.zip), 'phone', c.phone) as client,
      json_build_object('name', ph.first_name || ' ' || ph.last_name || case when ph.title in ('', 'None') then '' else ', ' || ph.title end, 'npi', ph.npi_number) as physician,
      json_build_object('name', co.name, 'nameFormat', co.report_name_format_code) as collaborator,
      json_build_object('name', lab.name, 'director', co.lab_director, 'npi', co.lab_npi, 'zone', lab.zone) as lab,
      r.collected_at as "collectedAt", r.collected_zone as "collectedZone",
      (select min(received_at) from specimen where requisition_id = r.id and deleted_at is null) as "receivedAt", r.is_fasting as fasting, r.ext_order_id as "extOrderId",
      coalesce((select json_agg(t order by t.sort, t.code) from (
        select te.sort_order as sort, te.code, te.description as name, te.loinc_code as loinc, coalesce(rt.reportable_result, rt.result, '') as value, rt.interpretation, rt.comment,
          coalesce(cr.unit, te.unit) as unit, rt.result_num as number, rt.interpretation = te.interpretation_labels->>'normal' as "isNormal",
          case p.gender_code when 'MALE' then coalesce(cr.m_normal_lo, te.m_normal_lo) else coalesce(cr.f_normal_lo, te.f_normal_lo) end as lo,
          case p.gender_code when 'MALE' then coalesce(cr.m_normal_hi, te.m_normal_hi) else coalesce(cr.f_normal_hi, te.f_normal_hi) end as hi,
          (select string_agg(f.description, '; ' order by f.code) from requisition_test_reason x join reason f on f.id = x.reason_id and f.type_code = 'FAIL'
            where x.requisition_test_id = rt.id) as "failReasons",
          coalesce((select json_agg(json_build_object('at', e.at, 'value', e.value) order by e.at desc) from (
            select r2.collected_at as at, coalesce(o.reportable_result, o.result) as value from requisition r2 join requisition_test o on o.requisition_id = r2.id
            where r2.patient_id = r.patient_id and r2.id <> r.id and r2.deleted_at is null and r2.collected_at < r.collected_at and o.test_id = rt.test_id
              and o.deleted_at is null and not o.is_retest and o.result is not null
            order by r2.collected_at desc limit ${sql.lit(earlierShown)}) e), '[]') as earlier
        from requisition_test rt join test te on te.id = rt.test_id
          left join collaborator_test_range cr on cr.collaborator_id = r.collaborator_id and cr.test_id = rt.test_id and cr.deleted_at is null
        where rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest) t), '[]') as results,
      '[]'::json as pending
    from requisition r join patient p on p.id = r.patient_id join client c on c.id = r.client_id join state s on s.id = c.state_id
      join physician ph on ph.id = r.physician_id join collaborator co on co.id = r.collaborator_id join lab on lab.id = r.lab_id
    where r.id = ${requisitionId}::bigint) x`.execute(db)
  return finished((rows[0] as { content: Stored }).content)
}

const finished = (stored: Stored): ReportContent => ({
  ...stored,
  results: stored.results.filter(({ value, failReasons }) => value !== '' || failReasons !== null).map(described),
  pending: stored.results
    .filter(({ value, failReasons }) => value === '' && failReasons === null)
    .map(({ name }) => name),
})

const described = ({ number, lo, hi, isNormal, ...result }: StoredResult): ReportResult => ({
  code: result.code,
  name: result.name,
  loinc: result.loinc,
  value: result.value,
  unit: result.unit,
  range: rangeText(lo, hi),
  flag: flagOf(number, lo, hi, isNormal),
  interpretation: result.interpretation,
  comment: result.comment,
  failReasons: result.failReasons,
  earlier: result.earlier,
})

const rangeText = (lo: number | null, hi: number | null) => {
  if (lo !== null && hi !== null) return `${lo} - ${hi}`
  if (hi !== null) return `<= ${hi}`
  return lo === null ? '' : `>= ${lo}`
}

const flagOf = (
  number: number | null,
  lo: number | null,
  hi: number | null,
  isNormal: boolean | null,
): ReportResult['flag'] => {
  if (number !== null && hi !== null && number > hi) return 'H'
  if (number !== null && lo !== null && number < lo) return 'L'
  return isNormal === false ? 'A' : ''
}

/** What differs between two versions, in whole lines; a reader of the correction must not have to search for it. */
export const changesBetween = (before: ReportContent | null, now: ReportContent): string[] => {
  if (!before) return []
  const changed = (label: string, from: string, to: string) =>
    from === to ? [] : [`${label} changed from ${from || '(none)'} to ${to || '(none)'}`]
  const facts = (content: ReportContent): [string, string][] => [
    ['Patient', content.patient.name],
    ['Date of birth', content.patient.dob],
    ['Sex', content.patient.sex],
    ['Client', content.client.name],
    ['Ordering physician', content.physician.name],
    ['Date collected', content.collectedAt],
  ]
  const values = ({ results }: ReportContent) => new Map(results.map((result) => [result.name, printed(result)]))
  const [old, fresh] = [values(before), values(now)]
  const names = new Set([...old.keys(), ...fresh.keys()])
  return [
    ...facts(now).flatMap(([label, text], index) => changed(label, facts(before)[index]?.[1] ?? '', text)),
    ...[...names].flatMap((name) => changed(name, old.get(name) ?? '', fresh.get(name) ?? '')),
  ]
}

const printed = ({ value, unit, interpretation, failReasons }: ReportResult) =>
  value === '' ? (failReasons ?? '') : [value, unit, interpretation && `(${interpretation})`].filter(Boolean).join(' ')
