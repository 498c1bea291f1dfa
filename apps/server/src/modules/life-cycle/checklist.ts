import type { ChecklistLine } from '@lis/contract/requisitions/record.ts'
import { type MoveCondition, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { conditionSql, isPaidByInsurance, isResultAwaited, tabOfCondition } from './move-conditions.ts'

const conditions = [
  'hasTest',
  'hasReceivedSpecimen',
  'resultsComplete',
  'hasReport',
  'demographicQcPassed',
  'hasReleasedReport',
  'hasBillType',
  'hasIcd',
  'hasPrimaryInsurance',
] as const satisfies readonly MoveCondition[]
type ChecklistCondition = (typeof conditions)[number]

/** The status that each condition is needed for, by the table of moves. */
const neededFor: Record<ChecklistCondition, StatusCode> = {
  hasTest: 'ACC',
  hasReceivedSpecimen: 'ACC',
  resultsComplete: 'RESULT',
  hasReport: 'REPORT',
  demographicQcPassed: 'RELEASE',
  hasReleasedReport: 'RELEASE',
  hasBillType: 'READYBILL',
  hasIcd: 'READYBILL',
  hasPrimaryInsurance: 'READYBILL',
}

interface Facts extends Record<ChecklistCondition, boolean | null> {
  open_issues: number
  departments: string
  is_zone_missing: boolean
  is_insured: boolean
  fail_codes: string | null
  tests: number
  pending: number
  pending_codes: string
  tubes: number
  placed: number
}

/** What is done and what is missing until a requisition can be billed, by the conditions of its moves. */
export const readChecklist = async (db: Db, requisitionId: number): Promise<ChecklistLine[]> => {
  const checks = conditions.map((name) => sql`${conditionSql[name]} as ${sql.ref(name)}`)
  const { rows } = await sql<Facts>`
    select ${sql.join(checks)}, l.open_issue_count as open_issues, c.zone = 'TZNA' as is_zone_missing, ${isPaidByInsurance} as is_insured,
      (select string_agg(f.code || ' ' || f.description, ', ' order by f.code) from requisition_reason x
        join reason f on f.id = x.reason_id and f.type_code = 'FAIL' where x.requisition_id = r.id) as fail_codes,
      (select coalesce(string_agg(d.name, ', ' order by d.sort_order), '') from department d where d.id = any(l.issue_department_ids)) as departments,
      (select count(*)::int from requisition_test t where t.requisition_id = r.id and t.deleted_at is null and not t.is_retest) as tests,
      p.n as pending, p.codes as pending_codes,
      (select coalesce(sum(s.tube_count), 0)::int from specimen s where s.requisition_id = r.id and s.deleted_at is null) as tubes,
      (select count(*)::int from specimen_location x where x.requisition_id = r.id and x.discarded_at is null) as placed
    from requisition r join requisition_list l on l.requisition_id = r.id join client c on c.id = r.client_id
    cross join lateral (
      select count(*)::int as n, coalesce(string_agg(k.code || case when t.is_modifiable then ' (modification open)' else '' end, ', ' order by k.code), '') as codes
      from requisition_test t join test k on k.id = t.test_id where t.requisition_id = r.id and ${isResultAwaited}) p
    where r.id = ${requisitionId}`.execute(db)
  const facts = rows[0]
  if (!facts) return []
  // The lines 'No test ordered' and 'No bill type' are enough: without a test no result is missing, and without a bill type it is
  // unknown whether an insurance is needed (null).
  const shown = conditions.filter((name) => facts[name] !== null && (name !== 'resultsComplete' || facts.tests > 0))
  return [issuesLine(facts), zoneLine(facts), ...failLine(facts), ...shown.map((name) => conditionLine(name, facts))]
}

const issuesLine = ({ open_issues: count, departments }: Facts): ChecklistLine => ({
  code: 'openIssues',
  isDone: count === 0 ? 1 : 0,
  title: count === 0 ? 'No open issue' : `${count} open issue${count === 1 ? '' : 's'}`,
  detail: departments,
  tabSlug: 'issues',
})

const zoneLine = ({ is_zone_missing: isMissing }: Facts): ChecklistLine => ({
  code: 'clientZone',
  isDone: isMissing ? 0 : 1,
  title: isMissing ? "The client's time zone is unknown" : "The client's time zone is known",
  detail: isMissing ? 'Needed for collection times' : '',
  tabSlug: null,
})

const failLine = ({ fail_codes: codes }: Facts): ChecklistLine[] =>
  codes === null
    ? []
    : [
        {
          code: 'failCodes',
          isDone: 0,
          title: `Fail code on this requisition: ${codes}`,
          detail: 'Its tests are reported as not performed, with this reason',
          tabSlug: 'status',
        },
      ]

const texts: Record<ChecklistCondition, (facts: Facts) => { done: string; open: string; detail?: string }> = {
  hasTest: ({ tests }) => ({ done: `${tests} test${tests === 1 ? '' : 's'} ordered`, open: 'No test ordered' }),
  hasReceivedSpecimen: ({ tubes, placed }) => ({
    done: `${tubes} tube${tubes === 1 ? '' : 's'} received, ${placed} placed`,
    open: 'No specimen received',
  }),
  resultsComplete: ({ tests, pending, pending_codes }) => ({
    done: 'Every test has its result or a fail code',
    open: `${pending} of ${tests} tests without a result`,
    detail: pending_codes,
  }),
  hasReport: () => ({ done: 'Report file there', open: 'No report file' }),
  demographicQcPassed: () => ({ done: 'Demographic QC has passed', open: 'Demographic QC has not passed' }),
  hasReleasedReport: () => ({ done: 'Report released by lab QC', open: 'No report released by lab QC' }),
  hasBillType: () => ({ done: 'Bill type set', open: 'No bill type' }),
  hasIcd: () => ({ done: 'ICD code set', open: 'No ICD code' }),
  hasPrimaryInsurance: ({ is_insured: isInsured }) => ({
    done: isInsured ? 'Primary insurance in order' : 'No insurance needed',
    open: 'No primary insurance',
  }),
}

const conditionLine = (code: ChecklistCondition, facts: Facts): ChecklistLine => {
  const isDone = facts[code] === true
  const { done, open, detail } = texts[code](facts)
  return {
    code,
    isDone: isDone ? 1 : 0,
    title: isDone ? done : open,
    detail: isDone ? '' : detail || `Needed to become ${statusOf(neededFor[code]).description}`,
    tabSlug: tabOfCondition[code],
  }
}
