import { enteredResult, noResult } from '@lis/contract/results/engine.ts'
import { isSameUnit, type Sex } from '@lis/contract/results/rules.ts'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { type Changes, isSame, recalculate } from './calculate.ts'
import { loadRulesThen, type RulesThen } from './kept-rules.ts'
import { loadRuleBook, type RuleBook } from './rule-book.ts'
import { storeChanges } from './store-changes.ts'
import { type Change, findPutAside, loadTests, type StoredTest, writeRules } from './stored-tests.ts'

/**
 * After the sex of the patient or the collaborator has become another one: what was entered stays, and what it means is worked out
 * anew. With `formerSex` only what depends on the sex is touched, and by the rules of its day: an old result is not judged by the ranges
 * of today. A value that would be read in another unit is refused: nothing here converts it.
 */
export const interpretAgain = async (
  write: WriteCall,
  requisitionIds: readonly number[],
  { formerSex, formerCollaboratorId }: { formerSex?: Sex | null; formerCollaboratorId?: number } = {},
) => {
  const tests = await loadTests(write.db, requisitionIds)
  const collaboratorIds = [formerCollaboratorId ?? [], ...tests.map(({ collaboratorId }) => collaboratorId)].flat()
  const book = await loadRuleBook(write.db, [...new Set(collaboratorIds)])
  if (formerCollaboratorId !== undefined) await requireSameUnits(write, tests, book, formerCollaboratorId)
  if (formerSex !== undefined) return interpretBySex(write, tests, book, formerSex)
  const changes: Changes = new Map()
  for (const test of tests) {
    const { result, sex, reagent, processDate } = test
    if (test.isCalculated || result === null || test.failCodes !== null) continue
    const cells = enteredResult(book.of(test.collaboratorId, test.testId), sex, result)
    if (isSame(test, cells)) continue
    changes.set(test.id, { test, ...cells, reagent, processDate, reason: 'Interpreted again', isEntryKept: true })
  }
  for (const [, own] of Map.groupBy(tests, ({ requisitionId }) => requisitionId)) recalculate(own, book, changes)
  await storeChanges(write, tests, book, changes, { isComplete: true })
  // What means the same by the other rules is printed with their range all the same.
  const same = tests.filter(({ id, reportable }) => reportable !== null && !changes.has(id))
  await writeRules(
    write.db,
    same.map((test) => ({ test, rules: book.of(test.collaboratorId, test.testId) })),
  )
}

const interpretBySex = async (
  write: WriteCall,
  tests: readonly StoredTest[],
  book: RuleBook,
  formerSex: Sex | null,
) => {
  const rulesAtResultTime = await loadRulesThen(write.db, tests, book)
  const changes: Changes = new Map()
  for (const [, own] of Map.groupBy(tests, ({ requisitionId }) => requisitionId)) {
    const then = bookThen(book, own, rulesAtResultTime)
    for (const test of own) {
      const { result, sex, reagent, processDate } = test
      if (test.isCalculated || result === null || test.failCodes !== null) continue
      const rules = then.of(test.collaboratorId, test.testId)
      const cells = enteredResult(rules, sex, result)
      if (isSame(enteredResult(rules, formerSex, result), cells) || isSame(test, cells)) continue
      const reason = 'Interpreted again'
      changes.set(test.id, { test, ...cells, rules, reagent, processDate, reason, isEntryKept: true })
    }
    for (const change of calculatedBySex(own, then, formerSex)) changes.set(change.test.id, change)
  }
  await storeChanges(write, tests, book, changes, { isComplete: true })
}

/** The rules by which the results of one requisition were interpreted. */
const bookThen = (book: RuleBook, tests: readonly StoredTest[], rulesAtResultTime: RulesThen): RuleBook => {
  const byId = new Map(tests.map((test) => [test.testId, rulesAtResultTime(test)]))
  const byKey = new Map([...byId.values()].map((rules) => [rules.test.resultKey, rules]))
  return {
    of: (collaboratorId, testId) => byId.get(testId) ?? book.of(collaboratorId, testId),
    byKey: (collaboratorId, key) => byKey.get(key) ?? book.byKey(collaboratorId, key),
  }
}

/** Also for what a fail code has put aside: it comes back when the code is taken off. */
const requireSameUnits = async (
  { db }: WriteCall,
  tests: readonly StoredTest[],
  book: RuleBook,
  formerCollaboratorId: number,
) => {
  const failed = tests.filter(({ result, failCodes }) => result === null && failCodes !== null)
  const putAside = await findPutAside(
    db,
    failed.map(({ id }) => id),
  )
  const clashes = tests.flatMap(({ id, testId, testCode, collaboratorId, isCalculated, result }) => {
    if (isCalculated || (result === null && !putAside.has(id))) return []
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
    const rules = book.of(test.collaboratorId, test.testId)
    return [{ ...cells, test, rules, reagent, processDate, reason: 'Interpreted again', isEntryKept: true }]
  })
}
