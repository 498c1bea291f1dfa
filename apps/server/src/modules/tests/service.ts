import type { ResultProblem } from '@lis/contract/requisition-tests.ts'
import { displayStatus, findMove, type Move } from '@lis/contract/requisitions/status.ts'
import { checkEntry, type Doubt, tidyEntry } from '@lis/contract/results/check.ts'
import { enteredResult, noResult } from '@lis/contract/results/engine.ts'
import { isSameUnit, type Sex } from '@lis/contract/results/rules.ts'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import { invalid } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisitions } from '../requisitions/queries.ts'
import { runMove } from '../requisitions/service.ts'
import { type Changes, isSame, recalculate } from './calculate.ts'
import { loadRuleBook, type RuleBook } from './rule-book.ts'
import { type Change, type Earlier, findEarlier, loadTests, type StoredTest, writeChanges } from './stored-tests.ts'

export { loadRuleBook } from './rule-book.ts'

/** A result to be stored, for a test named by its own id or by its code on the requisition. */
export interface ResultEntry {
  requisitionId: number
  reqTestId?: number
  testCode?: string
  /** Nothing clears a result whose modification is open. */
  result: string
  /** The version the writer had in view. */
  version?: number | undefined
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
  /** The test held this very result already. */
  isUnchanged: boolean
}
export type EntryProblem = ResultProblem & { index: number }

export interface SaveOutcome {
  saved: SavedEntry[]
  problems: EntryProblem[]
  /** Requisitions that had their last result and moved to RESULT. */
  moved: number[]
}

/**
 * Stores results of one or of many requisitions in the transaction of the call: a handful of statements for the whole list. With
 * `isPartial` the good ones are stored and the others named; without it nothing is stored when one of them has a problem.
 */
export const saveResults = async (
  write: WriteCall,
  entries: readonly ResultEntry[],
  { isPartial = false }: { isPartial?: boolean } = {},
): Promise<SaveOutcome> => {
  const ids = [...new Set(entries.map(({ requisitionId }) => requisitionId))]
  const heads = await lockRequisitions(write.db, write.actor, ids)
  const tests = await loadTests(write.db, [...heads.keys()])
  const book = await loadRuleBook(write.db, [...new Set(tests.map(({ collaboratorId }) => collaboratorId))])
  const targets = targetsOf(entries, tests)
  const earlier = await earlierResults(write, entries, targets, book)
  const outcome: SaveOutcome = { saved: [], problems: [], moved: [] }
  const changes: Changes = new Map()
  const confirmed = new Map<number, string[]>()
  for (const [index, entry] of entries.entries()) {
    const test = targets[index]
    const verdict = test ? judge(entry, test, changes, book, earlier) : refused(entry, heads.has(entry.requisitionId))
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

interface StoreOptions {
  /** What the writer was asked and stood by, per requisition. */
  confirmed?: ReadonlyMap<number, string[]>
  /** Requisitions whose inputs have changed otherwise: a test more or less, a fail code. */
  alsoRecalculate?: readonly number[]
  /** What follows from the changes is among them already. */
  isComplete?: boolean
}

/** Works out what follows from the changes, writes all of it with its history, and answers the new versions. */
export const storeChanges = async (
  write: WriteCall,
  tests: readonly StoredTest[],
  book: RuleBook,
  changes: Changes,
  { confirmed = new Map(), alsoRecalculate = [], isComplete = false }: StoreOptions = {},
): Promise<Map<number, number>> => {
  const touched = new Set([...alsoRecalculate, ...[...changes.values()].map(({ test }) => test.requisitionId)])
  const byRequisition = Map.groupBy(tests, ({ requisitionId }) => requisitionId)
  if (!isComplete) for (const id of touched) recalculate(byRequisition.get(id) ?? [], book, changes)
  const versions = await writeChanges(write.db, write.actor.userId, [...changes.values()])
  if (changes.size === 0) return versions
  const records = [...Map.groupBy(changes.values(), ({ test }) => test.requisitionId)].map(
    ([requisitionId, list]): AuditRecord => {
      const doubts = confirmed.get(requisitionId)
      return {
        entity: 'requisition',
        entityId: requisitionId,
        requisitionId,
        action: 'RESULT',
        old: Object.fromEntries(list.map(({ test }) => [test.testCode, test.result ?? test.reportable])),
        new: Object.fromEntries(list.map(({ test, result, reportable }) => [test.testCode, result ?? reportable])),
        ...(doubts && { reason: `Confirmed: ${doubts.join(' ')}` }),
      }
    },
  )
  await recordAudit(write.db, write.actor, write.requestId, records)
  return versions
}

/**
 * After the sex of the patient or the collaborator has become another one: what was entered stays, and what it means is worked out
 * anew. With `formerSex` only what depends on the sex is touched, so that an old result is not judged by the ranges of today. A value
 * that would be read in another unit is refused: nothing here converts it.
 */
export const interpretAgain = async (
  write: WriteCall,
  requisitionIds: readonly number[],
  { formerSex, formerCollaboratorId }: { formerSex?: Sex | null; formerCollaboratorId?: number } = {},
) => {
  const tests = await loadTests(write.db, requisitionIds)
  const collaboratorIds = [formerCollaboratorId ?? [], ...tests.map(({ collaboratorId }) => collaboratorId)].flat()
  const book = await loadRuleBook(write.db, [...new Set(collaboratorIds)])
  if (formerCollaboratorId !== undefined) requireSameUnits(tests, book, formerCollaboratorId)
  const changes: Changes = new Map()
  for (const test of tests) {
    const { result, sex, reagent, processDate } = test
    if (test.isCalculated || result === null || test.failCodes !== null) continue
    const rules = book.of(test.collaboratorId, test.testId)
    const cells = enteredResult(rules, sex, result)
    const before = formerSex === undefined ? test : enteredResult(rules, formerSex, result)
    if (isSame(before, cells) || isSame(test, cells)) continue
    changes.set(test.id, { test, ...cells, reagent, processDate, reason: 'Interpreted again', isEntryKept: true })
  }
  if (formerSex === undefined) {
    await storeChanges(write, tests, book, changes, { alsoRecalculate: requisitionIds })
    return
  }
  for (const [, own] of Map.groupBy(tests, ({ requisitionId }) => requisitionId)) {
    for (const change of calculatedBySex(own, book, formerSex)) changes.set(change.test.id, change)
  }
  await storeChanges(write, tests, book, changes, { isComplete: true })
}

const requireSameUnits = (tests: readonly StoredTest[], book: RuleBook, formerCollaboratorId: number) => {
  const clashes = tests.flatMap(({ testId, testCode, collaboratorId, isCalculated, result }) => {
    if (isCalculated || result === null) return []
    const [was, now] = [book.of(formerCollaboratorId, testId), book.of(collaboratorId, testId)]
    return isSameUnit(was.units, now.units) ? [] : [`${testCode} (${was.units ?? 'no unit'}, now ${now.units})`]
  })
  if (clashes.length > 0)
    throw invalid(
      'colaId',
      `This collaborator has other units for results that are there already: ${clashes.join(', ')}`,
    )
}

/** The calculated tests that come out differently for the other sex; what has become of their rules since is left alone. */
const calculatedBySex = (tests: readonly StoredTest[], book: RuleBook, formerSex: Sex | null): Change[] => {
  const workOut = (sex: Sex | null) => {
    const emptied = tests.map((test) => ({ ...test, sex, ...(test.isCalculated && noResult) }))
    const changes: Changes = new Map()
    recalculate(emptied, book, changes)
    return changes
  }
  const before = workOut(formerSex)
  const after = workOut(tests[0]?.sex ?? null)
  return tests.flatMap((test) => {
    const cells = after.get(test.id) ?? noResult
    const former = before.get(test.id) ?? noResult
    if (!test.isCalculated || isSame(former, cells) || isSame(test, cells)) return []
    const { reagent, processDate } = test
    return [{ ...cells, test, reagent, processDate, reason: 'Interpreted again', isEntryKept: true }]
  })
}

const toResulted = findMove('PROCESS', 'RESULT', 'AUTO') as Move

/** TEST-G14: those without a missing result move on by themselves; the others stay without a word. */
export const moveCompleted = async (write: WriteCall, requisitionIds: readonly number[]): Promise<number[]> =>
  (await runMove(write, [...new Set(requisitionIds)], toResulted)).moved

const targetsOf = (entries: readonly ResultEntry[], tests: readonly StoredTest[]) => {
  const byId = new Map(tests.map((test) => [`${test.requisitionId} ${test.id}`, test]))
  const byCode = new Map(tests.map((test) => [`${test.requisitionId} ${test.testCode}`, test]))
  return entries.map(({ requisitionId, reqTestId, testCode }) =>
    reqTestId === undefined ? byCode.get(`${requisitionId} ${testCode}`) : byId.get(`${requisitionId} ${reqTestId}`),
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

const judge = (
  entry: ResultEntry,
  test: StoredTest,
  changes: Changes,
  book: RuleBook,
  earlier: ReadonlyMap<number, Earlier>,
): Verdict => {
  const rules = book.of(test.collaboratorId, test.testId)
  const before = earlier.get(test.id)
  const result = tidyEntry(entry.result)
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
  if ((held ? held.result : test.result) === (result || null) && !test.isModifiable) return { change: null, doubts: [] }
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
  if (held || !isOpen(test))
    return no('locked', `${test.testCode} has ${whatHolds(test, held)} already. Modify or retest it first`)
  if (result === '') return { change: changeTo(entry, test, noResult), doubts: [] }
  const where = before && { value: before.value, daysAgo: before.daysAgo, where: `#${before.reqId}` }
  const { refusal, doubts } = checkEntry(rules, result, where ?? null)
  if (refusal !== null) return no('refused', refusal)
  if (doubts.length > 0 && !entry.isConfirmed)
    return no('doubtful', doubts.map(({ message }) => message).join(' '), doubts)
  return { change: changeTo(entry, test, enteredResult(rules, test.sex, result)), doubts }
}

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
