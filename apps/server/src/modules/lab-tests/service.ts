import type { ResultProblem } from '@lis/contract/requisition-tests.ts'
import { displayStatus, findMove, type Move } from '@lis/contract/requisitions/status.ts'
import { checkEntry, type Doubt, normalizeEntry } from '@lis/contract/results/check.ts'
import { shortestText } from '@lis/contract/results/decimal.ts'
import { enteredResult, noResult } from '@lis/contract/results/engine.ts'
import { isSameUnit, type TestRules } from '@lis/contract/results/rules.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { runMove } from '../life-cycle/service.ts'
import { lockRequisitions } from '../requisition-record/queries.ts'
import type { Changes } from './calculate.ts'
import { loadRuleBook, type RuleBook } from './rule-book.ts'
import { storeChanges } from './store-changes.ts'
import {
  type Earlier,
  findEarlier,
  findFormer,
  findTakenOff,
  type HeldResult,
  loadTests,
  type StoredTest,
} from './stored-tests.ts'

/** A result to be stored, for a test named by its own id or by its code on the requisition. */
export interface ResultEntry {
  requisitionId: number
  reqTestId?: number
  testCode?: string
  /** Nothing clears a result whose modification is open. */
  result: string
  /** The version the writer had in view. */
  version?: number | undefined
  /** The unit the writer had in view. */
  units?: string | null | undefined
  isConfirmed?: boolean
  /** ISO text; now, when not said. */
  processDate?: string
  reagent?: string | null
}

/** An entry by its place in the list. */
export interface SavedEntry {
  index: number
  id: number
  version: number
  /** The test held this very result already, or of a load: has held it before. */
  isUnchanged: boolean
}
export type EntryProblem = ResultProblem & { index: number }

export interface SaveOutcome {
  saved: SavedEntry[]
  problems: EntryProblem[]
  /** Requisitions that had their last result and moved to RESULT. */
  moved: number[]
}

interface SaveOptions {
  /** The good ones are stored and the others named; without it nothing is stored when one of them has a problem. */
  isPartial?: boolean
  /**
   * A result that the test has held before, with the same process date, is not stored again: it is a row of a file that is processed once
   * more, and what has been opened for modification or tested anew since is in doubt.
   */
  isOnce?: boolean
  /** Text that a test does not list is refused also when it is confirmed: nobody looks at the rows of a file. */
  isListedTextOnly?: boolean
}

/** Stores results of one or of many requisitions in the transaction of the call: a handful of statements for the whole list. */
export const saveResults = async (
  write: WriteCall,
  entries: readonly ResultEntry[],
  { isPartial = false, isOnce = false, isListedTextOnly = false }: SaveOptions = {},
): Promise<SaveOutcome> => {
  const ids = [...new Set(entries.map(({ requisitionId }) => requisitionId))]
  const heads = await lockRequisitions(write.db, write.actor, ids)
  const tests = await loadTests(write.db, [...heads.keys()])
  const book = await loadRuleBook(write.db, [...new Set(tests.map(({ collaboratorId }) => collaboratorId))])
  const targets = targetsOf(entries, tests)
  const earlier = await earlierResults(write, entries, targets, book)
  const isKnown = isOnce ? await heldBefore(write, entries, targets) : () => false
  const outcome: SaveOutcome = { saved: [], problems: [], moved: [] }
  const changes: Changes = new Map()
  const confirmed = new Map<number, string[]>()
  for (const [index, entry] of entries.entries()) {
    const test = targets[index]
    const verdict = !test
      ? refused(entry, heads.has(entry.requisitionId))
      : isKnown(entry, test)
        ? unchanged
        : judge(entry, test, { changes, book, earlier, isListedTextOnly })
    if ('problem' in verdict) {
      outcome.problems.push({ index, ...verdict.problem })
      continue
    }
    const found = test as StoredTest
    outcome.saved.push({ index, id: found.id, version: found.version, isUnchanged: verdict.change === null })
    if (verdict.change === null) continue
    changes.set(found.id, verdict.change)
    const said = verdict.doubts.map(({ message }) => message)
    if (said.length > 0) confirmed.set(found.requisitionId, [...(confirmed.get(found.requisitionId) ?? []), ...said])
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

/** TEST-G14: those without a missing result move on by themselves; the others stay without a word. */
export const moveCompleted = async (write: WriteCall, requisitionIds: readonly number[]): Promise<number[]> =>
  (await runMove(write, [...new Set(requisitionIds)], toResulted)).moved

const targetsOf = (entries: readonly ResultEntry[], tests: readonly StoredTest[]) => {
  const byId = new Map(tests.map((test) => [`${test.requisitionId} ${test.id}`, test]))
  const byCode = new Map(tests.map((test) => [`${test.requisitionId} ${test.testCode.toUpperCase()}`, test]))
  return entries.map(({ requisitionId, reqTestId, testCode }) =>
    reqTestId === undefined
      ? byCode.get(`${requisitionId} ${testCode?.toUpperCase()}`)
      : byId.get(`${requisitionId} ${reqTestId}`),
  )
}

const earlierResults = (
  write: WriteCall,
  entries: readonly ResultEntry[],
  targets: readonly (StoredTest | undefined)[],
  book: RuleBook,
) =>
  findEarlier(
    write.db,
    targets.flatMap((test, index) => {
      const rules = test && book.of(test.collaboratorId, test.testId)
      const withinDays = rules?.test.deltaCheck?.withinDays
      if (!rules || withinDays === undefined) return []
      return [{ ...test, at: entries[index]?.processDate ?? test.processDate, withinDays, units: rules.units }]
    }),
  )

type Verdict = { problem: ResultProblem } | { change: Parameters<Changes['set']>[1] | null; doubts: Doubt[] }

const unchanged: Verdict = { change: null, doubts: [] }

/** The key of a row of a load; a spreadsheet writes the same instant and the same number in its own way. */
const rowKey = ({ requisitionId, testId, result, processDate }: HeldResult) =>
  `${requisitionId} ${testId} ${Date.parse(processDate)} ${shortestText(result.replace(/^\+/, '')) ?? result}`

/** Tells whether a test holds, or has held, the result of an entry with its process date. */
const heldBefore = async (
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
  const takenOff = new Set((await findTakenOff(db, [...new Set(ids)])).map(idOf))
  const isNew = (test: StoredTest) =>
    test.version === 1 && test.result === null && test.retestOfId === null && !takenOff.has(idOf(test))
  // Nearly all tests of a load are new, or hold what it brings already: only the others have a past that matters.
  const others = targets.filter((test, index): test is StoredTest => {
    if (!test || isNew(test)) return false
    return !known.has(keyOf(entries[index] as ResultEntry, test))
  })
  for (const former of await findFormer(db, [...new Set(others)])) known.add(rowKey(former))
  return (entry: ResultEntry, test: StoredTest) => known.has(keyOf(entry, test))
}

const refused = ({ reqTestId, requisitionId, testCode }: ResultEntry, isFound: boolean): Verdict => ({
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

interface Judging {
  changes: Changes
  book: RuleBook
  earlier: ReadonlyMap<number, Earlier>
  isListedTextOnly: boolean
}

const judge = (
  entry: ResultEntry,
  test: StoredTest,
  { changes, book, earlier, isListedTextOnly }: Judging,
): Verdict => {
  const rules = book.of(test.collaboratorId, test.testId)
  const before = earlier.get(test.id)
  const result = normalizeEntry(entry.result)
  const no = (kind: ResultProblem['kind'], message: string, doubts: Doubt[] = []): Verdict => ({
    problem: {
      reqTestId: test.id,
      testCode: test.testCode,
      kind,
      message,
      doubts,
      previous: before ? { reqId: before.reqId, processDate: before.processDate } : null,
    },
  })
  const held = changes.get(test.id)
  if ((held ? held.result : test.result) === (result || null) && !test.isModifiable) return unchanged
  if (test.isCalculated) return no('refused', `${test.testCode} is calculated and cannot be entered`)
  if (test.status !== 'PROCESS') {
    return no(
      'refused',
      `Requisition #${test.requisitionId} is ${displayStatus(test.status)}: results are entered in Processing`,
    )
  }
  if (entry.version !== undefined && entry.version !== test.version) {
    return no('changed', `${test.testCode} was changed by somebody else in the meantime${nowHolds(test)}`)
  }
  if (entry.units !== undefined && !isSameUnit(entry.units, rules.units)) {
    const [now, then] = [rules.units, entry.units].map((unit) => unit ?? 'no unit')
    return no('changed', `${test.testCode} is in ${now} now, no longer in ${then}`)
  }
  if (held || !isOpen(test))
    return no('locked', `${test.testCode} has ${whatHolds(test, held)} already. Modify or retest it first`)
  if (result === '') return { change: changeTo(entry, test, noResult), doubts: [] }
  const where = before && { value: before.value, daysAgo: before.daysAgo, where: `#${before.reqId}` }
  const { refusal, doubts } = checkEntry(rules, result, where ?? null)
  if (refusal !== null) return no('refused', refusal)
  const text = isListedTextOnly ? doubts.find(({ kind }) => kind === 'text') : undefined
  if (text) return no('refused', [text.message, ...listedTexts(rules)].join(' and none of '))
  if (doubts.length > 0 && !entry.isConfirmed)
    return no('doubtful', doubts.map(({ message }) => message).join(' '), doubts)
  return { change: changeTo(entry, test, enteredResult(rules, test.sex, result)), doubts }
}

const listedTexts = ({ test: { allowedText } }: TestRules) => (allowedText.length > 0 ? [allowedText.join(', ')] : [])

/** A test takes a result while it has neither one nor a fail code, or while its modification is open (TEST-G8). */
const isOpen = ({ result, failCodes, isModifiable }: StoredTest) =>
  isModifiable || (result === null && failCodes === null)
const nowHolds = ({ result }: StoredTest) => (result === null ? '' : ` and is now ${result}`)
const whatHolds = ({ failCodes }: StoredTest, held: unknown) =>
  held || failCodes === null ? 'a result' : `the fail code ${failCodes}`

const changeTo = (entry: ResultEntry, test: StoredTest, cells: typeof noResult) => ({
  test,
  ...cells,
  reagent: entry.reagent ?? test.reagent,
  processDate: cells.reportable === null ? null : (entry.processDate ?? test.processDate ?? new Date().toISOString()),
  reason: 'Modified',
})
