import type { ResultCheck } from '@lis/contract/instrument-results.ts'
import { formulaKeys } from '@lis/contract/results/engine.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { announce } from '../../platform/domain-events.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { checkResult, findRule, incompleteCheck } from '../autoverification/decide.ts'
import { isStopped, listRulesOf } from '../autoverification/rules.ts'
import { calledValue, findLimit, isCritical, type Limit } from '../critical-calls/critical.ts'
import { listLimitsOf } from '../critical-calls/raise.ts'
import { loadRuleBook, type RuleBook } from '../lab-tests/rule-book.ts'
import { type EntryProblem, saveResults } from '../lab-tests/service.ts'
import { findEarlierResults, loadTests, type StoredTest } from '../lab-tests/stored-tests.ts'
import { type EndedEpisode, findEndedEpisodes, isWithin, measuredTime } from '../quality-control/episodes.ts'
import { isReleased } from '../quality-control/lookbacks.ts'
import { ageAtCollection } from '../requisition-record/age.ts'
import { hasNoValue } from './measured.ts'
import { loadQcStates } from './qc-states.ts'
import { recordSource, resultEntry } from './result-entry.ts'
import { listWaiting, lockResults, reasonsOf, type StoredResult } from './rows.ts'

/**
 * Applies the rules to results whose test was found, in the order of arrival: those that pass are stored
 * by the same code as typed ones, all others wait for a person, with every reason. The requisitions are locked.
 */
export const decideResults = async (write: WriteCall, ids: readonly number[]) => {
  const results = (await lockResults(write.db, ids)).filter(({ state }) => state === 'REVIEW')
  if (results.length === 0) return
  const context = await loadContext(write.db, results)
  await supersedePreliminary(write.db, results)
  const decided = holdIncomplete(
    results.map((result) => decide(result, context)),
    context,
  )
  const problems = await verify(
    write,
    decided.filter(({ passed }) => passed).map(({ result }) => result),
  )
  for (const one of decided) {
    const problem = problems.get(one.result.id)
    if (problem) one.checks.push(checkOf(problem))
    await store(write.db, one, problem === undefined && one.passed)
  }
  const verified = decided
    .filter(({ result, passed }) => passed && !problems.has(result.id))
    .map(({ result }) => result)
  if (verified.length === 0) return
  const requisitionIds = [...new Set(verified.map((result) => result.requisitionId as number))]
  await announce(write, 'resultsChanged', { requisitionIds })
  await decideIncomplete(write, requisitionIds, new Set(ids))
}

/** Results that waited only for another input of a calculated test, which has its result by now. */
export const decideIncomplete = async (
  write: WriteCall,
  requisitionIds: readonly number[],
  except: ReadonlySet<number>,
) => {
  const waiting = await listWaiting(write.db, requisitionIds)
  const ready = waiting.filter(
    ({ id, reasons }) => !except.has(id) && reasons.length > 0 && reasons.every(({ code }) => code === 'INCOMPLETE'),
  )
  await decideResults(
    write,
    ready.map(({ id }) => id),
  )
}

interface Subject {
  collectedAt: string
  labId: number
  age: number | null
  sex: string | null
  isReleased: boolean
  openIssues: number
  specimenTypes: string[]
}

interface Context {
  subjects: ReadonlyMap<number, Subject>
  tests: readonly StoredTest[]
  book: RuleBook
  wantedTypes: ReadonlyMap<number, string[]>
  limits: readonly Limit[]
  rules: Awaited<ReturnType<typeof listRulesOf>>
  isStopped: boolean
  qc: Awaited<ReturnType<typeof loadQcStates>>
  endedEpisodes: readonly EndedEpisode[]
  earlier: Awaited<ReturnType<typeof findEarlierResults>>
  /** Results that wait for a person, including those being decided. */
  waiting: readonly StoredResult[]
  /** Tests that have passed in this round. */
  passed: Set<number>
}

const loadContext = async (trx: Trx, results: readonly StoredResult[]): Promise<Context> => {
  const requisitionIds = [...new Set(results.map((result) => result.requisitionId as number))]
  const testIds = [...new Set(results.map((result) => result.testId as number))]
  const tests = await loadTests(trx, requisitionIds)
  const book = await loadRuleBook(trx, [...new Set(tests.map(({ collaboratorId }) => collaboratorId))])
  const measured = results.flatMap((result) => {
    const test = tests.find(({ id }) => id === result.requisitionTestId)
    if (!test) return []
    const { units } = book.of(test.collaboratorId, test.testId)
    return [{ ...test, at: result.measuredAt ?? result.receivedAt, withinDays: longestDelta, units }]
  })
  return {
    subjects: await loadSubjects(trx, requisitionIds),
    tests,
    book,
    wantedTypes: await loadWantedTypes(trx, testIds),
    limits: await listLimitsOf(trx, testIds),
    rules: await listRulesOf(trx, testIds),
    isStopped: await isStopped(trx),
    qc: await loadQcStates(
      trx,
      results.map((result) => result.instrumentId),
    ),
    endedEpisodes: await findEndedEpisodes(
      trx,
      results.map((result) => ({ ...result, testId: result.testId as number, ...timeOf(result) })),
    ),
    earlier: await findEarlierResults(trx, measured),
    waiting: await listWaiting(trx, requisitionIds),
    passed: new Set(),
  }
}

const timeOf = ({ measuredAt, receivedAt, clockOffsetSec }: StoredResult) =>
  measuredAt === null ? { earliest: receivedAt, latest: receivedAt } : measuredTime(measuredAt, clockOffsetSec)

const wasOutOfControl = (result: StoredResult, { endedEpisodes }: Context) =>
  endedEpisodes.some(
    (episode) =>
      episode.instrumentId === result.instrumentId &&
      episode.testId === result.testId &&
      isWithin(episode, timeOf(result)),
  )

/** Earlier results older than this are not compared. */
const longestDelta = 3650

const loadSubjects = async (trx: Trx, ids: readonly number[]): Promise<Map<number, Subject>> => {
  const { rows } = await sql<Subject & { id: number }>`
    select r.id, r.collected_at as "collectedAt", r.lab_id as "labId", p.gender_code as sex, ${isReleased} as "isReleased",
      ${ageAtCollection(sql`p.dob`)} as age,
      (select count(*)::int from issue i where i.requisition_id = r.id and i.deleted_at is null and i.status_code in ('OPEN', 'INPROG')) as "openIssues",
      array(select distinct s.type_code from specimen s where s.requisition_id = r.id and s.deleted_at is null) as "specimenTypes"
    from requisition r join patient p on p.id = r.patient_id where r.id = ${anyId(ids)}`.execute(trx)
  return new Map(rows.map(({ id, ...subject }) => [id, subject]))
}

const loadWantedTypes = async (trx: Trx, testIds: readonly number[]) =>
  new Map(
    (
      await trx
        .selectFrom('test')
        .select(['id', 'specimen_type_codes as types'])
        .where('id', '=', anyId(testIds))
        .execute()
    ).map(({ id, types }) => [id, types]),
  )

interface Decided {
  result: StoredResult
  checks: ResultCheck[]
  passed: boolean
  rule: { id: number; ruleVersion: number } | null
}

const decide = (result: StoredResult, context: Context): Decided => {
  const test = context.tests.find(({ id }) => id === result.requisitionTestId)
  const subject = context.subjects.get(result.requisitionId as number)
  if (!test || !subject) {
    const checks: ResultCheck[] = [{ code: 'NOT_ORDERED', passed: false, text: 'The test is no longer ordered' }]
    return { result, checks, passed: false, rule: null }
  }
  const rules = context.book.of(test.collaboratorId, test.testId)
  const isNumeric = rules.test.resultKind === 'numeric'
  const rule = findRule(context.rules, {
    testId: test.testId,
    labId: subject.labId,
    colaId: test.collaboratorId,
    instrumentId: result.instrumentId,
  })
  const hasNone = hasNoValue(result.value, result.status, isNumeric)
  const checks = checkResult({
    testCode: test.testCode,
    value: result.value,
    rules,
    rule: rule ?? null,
    isStopped: context.isStopped,
    flags: result.flags,
    earlier: context.earlier.get(test.id) ?? null,
    qcState: context.qc(result.instrumentId, test.testCode),
    wasQcOut: wasOutOfControl(result, context),
    critical: hasNone ? null : criticalWords(result, test, subject, context),
    openIssues: subject.openIssues,
    specimenTypes: subject.specimenTypes,
    wantedTypes: context.wantedTypes.get(test.testId) ?? [],
    specimenHours: (Date.parse(result.measuredAt ?? result.receivedAt) - Date.parse(subject.collectedAt)) / 3_600_000,
    missingInputs: [],
    isReleased: subject.isReleased,
    repeats: repeatWords(result, test, context),
    isPreliminary: result.status === 'P',
    hasNoValue: hasNone,
  })
  const passed = checks.every((check) => check.passed)
  if (passed) context.passed.add(test.id)
  return { result, checks, passed, rule: rule ? { id: rule.id, ruleVersion: rule.ruleVersion } : null }
}

const criticalWords = (result: StoredResult, test: StoredTest, { sex, age }: Subject, { limits, book }: Context) => {
  const limit = findLimit(limits, { testId: test.testId, sex, age, collaboratorId: test.collaboratorId })
  const value = calledValue(result.value, book.of(test.collaboratorId, test.testId).digits)
  if (!limit || !isCritical(value, limit)) return null
  const bounds = [limit.lo !== null && `below ${limit.lo}`, limit.hi !== null && `above ${limit.hi}`].filter(Boolean)
  return `${test.testCode} ${value} (${bounds.join(' or ')})`
}

/** Of the passing results, holds those whose calculated test cannot be computed yet, until only complete ones are left. */
const holdIncomplete = (decided: Decided[], context: Context): Decided[] => {
  for (;;) {
    const passing = new Set(
      decided.filter(({ passed }) => passed).map(({ result }) => result.requisitionTestId as number),
    )
    let isStable = true
    for (const one of decided) {
      const test = context.tests.find(({ id }) => id === one.result.requisitionTestId)
      if (!test) continue
      const missing = missingInputsOf(test, context, passing)
      const check = one.checks.find(({ code }) => code === 'INCOMPLETE')
      if (!check || missing.length === 0) continue
      Object.assign(check, incompleteCheck(missing))
      if (one.passed) isStable = false
      one.passed = false
    }
    if (isStable) return decided
  }
}

/** Other inputs of the same calculated tests that have no result and are not passing now. */
const missingInputsOf = (
  test: StoredTest,
  { tests, book, waiting }: Context,
  passing: ReadonlySet<number>,
): string[] => {
  const ofRequisition = tests.filter(({ requisitionId }) => requisitionId === test.requisitionId)
  const missing = ofRequisition.flatMap((calculated) => {
    const { formula } = book.of(calculated.collaboratorId, calculated.testId).test
    if (!calculated.isCalculated || !formula) return []
    const keys = formulaKeys(formula)
    if (!keys.includes(test.resultKey)) return []
    return ofRequisition.filter(
      (input) =>
        keys.includes(input.resultKey) &&
        input.id !== test.id &&
        !input.isCalculated &&
        input.result === null &&
        input.failCodes === null &&
        !passing.has(input.id) &&
        !waitsOnlyForInputs(input, waiting),
    )
  })
  return [...new Set(missing.map(({ testCode }) => testCode))]
}

/** Two inputs must not wait for each other. */
const waitsOnlyForInputs = ({ id }: StoredTest, waiting: readonly StoredResult[]) =>
  waiting.some(
    ({ requisitionTestId, reasons }) =>
      requisitionTestId === id && reasons.length > 0 && reasons.every(({ code }) => code === 'INCOMPLETE'),
  )

/** Why this is not the only result of its test; null if it is. */
const repeatWords = (result: StoredResult, test: StoredTest, { waiting, passed }: Context): string | null => {
  if (test.result !== null) return `${test.testCode} has the result ${test.reportable ?? test.result} already`
  if (test.failCodes !== null) return `${test.testCode} has the fail code ${test.failCodes}`
  if (passed.has(test.id)) return `${test.testCode} has been measured more than once`
  const before = waiting.find(
    ({ id, requisitionTestId, status }) => requisitionTestId === test.id && id < result.id && status !== 'P',
  )
  return before ? `${test.testCode} ${before.value} of ${before.instrumentName} waits too` : null
}

/** The final result has arrived. */
const supersedePreliminary = async (trx: Trx, results: readonly StoredResult[]) => {
  const final = results.filter(({ status }) => status !== 'P')
  await sql`update instrument_result p set state = 'SUPERSEDED', version = version + 1
    from unnest(${final.map((one) => one.id)}::bigint[], ${final.map((one) => one.requisitionTestId)}::bigint[]) as f(id, test_id)
    where p.requisition_test_id = f.test_id and p.id < f.id and p.state = 'REVIEW' and p.result_status = 'P'`.execute(
    trx,
  )
}

/** Returns the problems of those that could not be stored. */
const verify = async (write: WriteCall, results: readonly StoredResult[]): Promise<Map<number, EntryProblem>> => {
  if (results.length === 0) return new Map()
  const { problems, saved } = await saveResults(
    write,
    results.map((result) => resultEntry(result)),
    { isPartial: true },
  )
  const found = new Map(problems.map((problem) => [(results[problem.index] as StoredResult).id, problem]))
  const stored = saved.map(({ index }) => results[index] as StoredResult)
  await recordSource(write, stored, 'Verified by rule')
  return found
}

/** The general checks of results, applied to one that the rules would accept. */
const checkOf = ({ kind, message, doubts }: EntryProblem): ResultCheck => {
  const [doubt] = doubts
  const code =
    doubt?.kind === 'delta' ? 'DELTA' : doubt?.kind === 'text' ? 'NOT_NUMERIC' : kind === 'locked' ? 'REPEAT' : 'RANGE'
  return { code, passed: false, text: message }
}

const store = async (trx: Trx, { result, checks, rule }: Decided, isVerified: boolean) => {
  const reasons = isVerified ? [] : reasonsOf(checks)
  await sql`update instrument_result set state = ${isVerified ? 'VERIFIED' : 'REVIEW'}, reasons = ${JSON.stringify(reasons)}::jsonb,
      is_critical = ${reasons.some(({ code }) => code === 'CRITICAL')}, decided_at = case when ${isVerified} then clock_timestamp() end,
      version = version + case when ${isVerified} then 1 else 0 end
    where id = ${result.id}`.execute(trx)
  await trx
    .insertInto('instrument_decision')
    .values({
      instrument_result_id: result.id,
      outcome: isVerified ? 'PASSED' : 'HELD',
      rule_id: rule?.id ?? null,
      rule_version: rule?.ruleVersion ?? null,
      checks: JSON.stringify(checks),
    })
    .execute()
}
