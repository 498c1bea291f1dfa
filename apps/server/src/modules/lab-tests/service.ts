import type { ResultProblem } from '@lis/contract/requisition-tests.ts'
import { displayStatus, findMove, type Move } from '@lis/contract/requisitions/status.ts'
import { checkEntry, type Doubt, normalizeEntry } from '@lis/contract/results/check.ts'
import { shortestText } from '@lis/contract/results/decimal.ts'
import { enteredResult, noResult } from '@lis/contract/results/engine.ts'
import { isSameUnit, type TestRules } from '@lis/contract/results/rules.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { runMove } from '../life-cycle/service.ts'
import { lockRequisitions } from '../requisition-record/queries.ts'
import type { ResultChanges } from './calculate.ts'
import { loadRuleBook, type RuleBook } from './rule-book.ts'
import { storeChanges } from './store-changes.ts'
import {
  type EarlierResult,
  findEarlierResults,
  findPastResults,
  findRemovedTests,
  loadTests,
  type PastResult,
  type ResultSource,
  type StoredTest,
} from './stored-tests.ts'

/** A result to be stored, for a test given by its id or by its code on the requisition. */
export interface ResultEntry {
  requisitionId: number
  reqTestId?: number
  testCode?: string
  /** Empty text clears a result that is open for modification. */
  result: string
  /** The version that the writer saw. */
  version?: number | undefined
  /** The unit that the writer saw. */
  units?: string | null | undefined
  isConfirmed?: boolean
  /** ISO text; default now. */
  processDate?: string
  reagent?: string | null
  /** What measured it; nothing for one that was typed or loaded. */
  source?: ResultSource
}

/** `index` is the position of the entry in the list. */
interface SavedEntry {
  index: number
  id: number
  version: number
  /** The test had this result already; with `skipAlreadyStored`, now or before. */
  isUnchanged: boolean
}
export type EntryProblem = ResultProblem & { index: number }

export interface SaveOutcome {
  saved: SavedEntry[]
  problems: EntryProblem[]
  /** Requisitions that got their last result and moved to RESULT. */
  moved: number[]
}

interface SaveOptions {
  /** Stores the valid entries and names the others; otherwise one problem prevents the whole save. */
  isPartial?: boolean
  /**
   * Skips a result that the test has or had with the same process date: a file is being loaded again, and a result that was opened for
   * modification or retested since must not return.
   */
  skipAlreadyStored?: boolean
  /** Refuses text that the test does not list even if it is confirmed: nobody checks the rows of a file one by one. */
  isListedTextOnly?: boolean
}

/** Stores results of one or many requisitions in the transaction of the call, with a few statements for the whole list. */
export const saveResults = async (
  write: WriteCall,
  entries: readonly ResultEntry[],
  { isPartial = false, skipAlreadyStored = false, isListedTextOnly = false }: SaveOptions = {},
): Promise<SaveOutcome> => {
  const ids = [...new Set(entries.map(({ requisitionId }) => requisitionId))]
  const heads = await lockRequisitions(write.db, write.actor, ids)
  const tests = await loadTests(write.db, [...heads.keys()])
  const book = await loadRuleBook(write.db, [...new Set(tests.map(({ collaboratorId }) => collaboratorId))])
  const targets = findTargets(entries, tests)
  const earlier = await findResultsToCompare(write, entries, targets, book)
  const isAlreadyStored = skipAlreadyStored ? await loadStoredResults(write, entries, targets) : () => false
  const outcome: SaveOutcome = { saved: [], problems: [], moved: [] }
  const changes: ResultChanges = new Map()
  const confirmed = new Map<number, string[]>()
  for (const [index, entry] of entries.entries()) {
    const test = targets[index]
    const verdict = !test
      ? unknownTest(entry, heads.has(entry.requisitionId))
      : isAlreadyStored(entry, test)
        ? unchanged
        : check(entry, test, { changes, book, earlier, isListedTextOnly })
    if ('problem' in verdict) {
      outcome.problems.push({ index, ...verdict.problem })
      continue
    }
    const found = test as StoredTest
    outcome.saved.push({ index, id: found.id, version: found.version, isUnchanged: verdict.change === null })
    if (verdict.change === null) continue
    changes.set(found.id, verdict.change)
    const confirmedDoubts = verdict.doubts.map(({ message }) => message)
    if (confirmedDoubts.length > 0)
      confirmed.set(found.requisitionId, [...(confirmed.get(found.requisitionId) ?? []), ...confirmedDoubts])
  }
  if (changes.size === 0 || (!isPartial && outcome.problems.length > 0)) return outcome
  const versions = await storeChanges(write, tests, book, changes, { confirmed })
  for (const saved of outcome.saved) saved.version = versions.get(saved.id) ?? saved.version
  outcome.moved = await moveCompleted(
    write,
    [...changes.values()].map(({ test }) => test.requisitionId),
  )
  return outcome
}

const toResulted = findMove('PROCESS', 'RESULT', 'AUTO') as Move

/** TEST-G14: moves requisitions without a missing result to Resulted; the others stay. */
export const moveCompleted = async (write: WriteCall, requisitionIds: readonly number[]): Promise<number[]> =>
  (await runMove(write, [...new Set(requisitionIds)], toResulted)).moved

const findTargets = (entries: readonly ResultEntry[], tests: readonly StoredTest[]) => {
  const byId = new Map(tests.map((test) => [`${test.requisitionId} ${test.id}`, test]))
  const byCode = new Map(tests.map((test) => [`${test.requisitionId} ${test.testCode.toUpperCase()}`, test]))
  return entries.map(({ requisitionId, reqTestId, testCode }) =>
    reqTestId === undefined
      ? byCode.get(`${requisitionId} ${testCode?.toUpperCase()}`)
      : byId.get(`${requisitionId} ${reqTestId}`),
  )
}

const findResultsToCompare = (
  write: WriteCall,
  entries: readonly ResultEntry[],
  targets: readonly (StoredTest | undefined)[],
  book: RuleBook,
) =>
  findEarlierResults(
    write.db,
    targets.flatMap((test, index) => {
      const rules = test && book.of(test.collaboratorId, test.testId)
      const withinDays = rules?.test.deltaCheck?.withinDays
      if (!rules || withinDays === undefined) return []
      return [{ ...test, at: entries[index]?.processDate ?? test.processDate, withinDays, units: rules.units }]
    }),
  )

type Verdict = { problem: ResultProblem } | { change: Parameters<ResultChanges['set']>[1] | null; doubts: Doubt[] }

const unchanged: Verdict = { change: null, doubts: [] }

/** Normalizes instant and number, which spreadsheets write in different forms. */
const rowKey = ({ requisitionId, testId, result, processDate }: PastResult) =>
  `${requisitionId} ${testId} ${Date.parse(processDate)} ${shortestText(result.replace(/^\+/, '')) ?? result}`

/** Returns a check whether a test has or had the result of an entry with its process date. */
const loadStoredResults = async (
  { db }: WriteCall,
  entries: readonly ResultEntry[],
  targets: readonly (StoredTest | undefined)[],
) => {
  const keyOf = ({ result, processDate = '' }: ResultEntry, test: StoredTest) =>
    rowKey({ ...test, result: normalizeEntry(result), processDate })
  const known = new Set<string>()
  for (const test of targets) {
    const { result = null, processDate = null } = test ?? {}
    if (test && result !== null && processDate !== null) known.add(rowKey({ ...test, result, processDate }))
  }
  const idOf = ({ requisitionId, testId }: Pick<StoredTest, 'requisitionId' | 'testId'>) => `${requisitionId} ${testId}`
  const ids = targets.flatMap((test) => (test ? [test.requisitionId] : []))
  const removed = new Set((await findRemovedTests(db, [...new Set(ids)])).map(idOf))
  const isNew = (test: StoredTest) =>
    test.version === 1 && test.result === null && test.retestOfId === null && !removed.has(idOf(test))
  // Nearly all tests of a load are new or have the loaded result already; former results are read for the others only.
  const others = targets.filter((test, index): test is StoredTest => {
    if (!test || isNew(test)) return false
    return !known.has(keyOf(entries[index] as ResultEntry, test))
  })
  for (const former of await findPastResults(db, [...new Set(others)])) known.add(rowKey(former))
  return (entry: ResultEntry, test: StoredTest) => known.has(keyOf(entry, test))
}

const unknownTest = ({ reqTestId, requisitionId, testCode }: ResultEntry, isFound: boolean): Verdict => ({
  problem: {
    reqTestId: reqTestId ?? 0,
    testCode: testCode ?? '',
    kind: 'refused',
    message: isFound
      ? `${testCode ?? 'Test'} is not ordered on #${requisitionId}`
      : `Requisition #${requisitionId} not found`,
    doubts: [],
    previous: null,
  },
})

interface CheckContext {
  changes: ResultChanges
  book: RuleBook
  earlier: ReadonlyMap<number, EarlierResult>
  isListedTextOnly: boolean
}

const check = (
  entry: ResultEntry,
  test: StoredTest,
  { changes, book, earlier, isListedTextOnly }: CheckContext,
): Verdict => {
  const rules = book.of(test.collaboratorId, test.testId)
  const before = earlier.get(test.id)
  const result = normalizeEntry(entry.result)
  const problem = (kind: ResultProblem['kind'], message: string, doubts: Doubt[] = []): Verdict => ({
    problem: {
      reqTestId: test.id,
      testCode: test.testCode,
      kind,
      message,
      doubts,
      previous: before ? { reqId: before.reqId, processDate: before.processDate } : null,
    },
  })
  const pending = changes.get(test.id)
  if ((pending ? pending.result : test.result) === (result || null) && !test.isModifiable) return unchanged
  if (test.isCalculated) return problem('refused', `${test.testCode} is calculated and cannot be entered`)
  if (test.status !== 'PROCESS') {
    return problem(
      'refused',
      `Requisition #${test.requisitionId} is ${displayStatus(test.status)}: results are entered in Processing`,
    )
  }
  if (entry.version !== undefined && entry.version !== test.version) {
    return problem('changed', `${test.testCode} was changed by somebody else in the meantime${currentResult(test)}`)
  }
  if (entry.units !== undefined && !isSameUnit(entry.units, rules.units)) {
    const [now, then] = [rules.units, entry.units].map((unit) => unit ?? 'no unit')
    return problem('changed', `${test.testCode} is in ${now} now, no longer in ${then}`)
  }
  if (pending || !isOpen(test))
    return problem('locked', `${test.testCode} has ${currentValue(test, pending)} already. Modify or retest it first`)
  if (result === '') return { change: changeTo(entry, test, noResult), doubts: [] }
  const where = before && { value: before.value, daysAgo: before.daysAgo, where: `#${before.reqId}` }
  const { refusal, doubts } = checkEntry(rules, result, where ?? null)
  if (refusal !== null) return problem('refused', refusal)
  const text = isListedTextOnly ? doubts.find(({ kind }) => kind === 'text') : undefined
  if (text) return problem('refused', [text.message, ...listedTexts(rules)].join(' and none of '))
  if (doubts.length > 0 && !entry.isConfirmed)
    return problem('doubtful', doubts.map(({ message }) => message).join(' '), doubts)
  return { change: changeTo(entry, test, enteredResult(rules, test.sex, result)), doubts }
}

const listedTexts = ({ test: { allowedText } }: TestRules) => (allowedText.length > 0 ? [allowedText.join(', ')] : [])

/** A test accepts a result while it has neither one nor a fail code, or is open for modification (TEST-G8). */
const isOpen = ({ result, failCodes, isModifiable }: StoredTest) =>
  isModifiable || (result === null && failCodes === null)
const currentResult = ({ result }: StoredTest) => (result === null ? '' : ` and is now ${result}`)
const currentValue = ({ failCodes }: StoredTest, pending: unknown) =>
  pending || failCodes === null ? 'a result' : `the fail code ${failCodes}`

const changeTo = (entry: ResultEntry, test: StoredTest, cells: typeof noResult) => ({
  test,
  ...cells,
  reagent: entry.reagent ?? test.reagent,
  source: entry.source ?? null,
  processDate: cells.reportable === null ? null : (entry.processDate ?? test.processDate ?? new Date().toISOString()),
  reason: 'Modified',
})
