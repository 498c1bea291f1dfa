import { enteredResult, noResult } from '@lis/contract/results/engine.ts'
import { isSameUnit, type Sex } from '@lis/contract/results/rules.ts'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { isSameResult, type ResultChanges, recalculate } from './calculate.ts'
import { loadRuleBook, type RuleBook } from './rule-book.ts'
import { storeChanges } from './store-changes.ts'
import { loadRulesAtResultTime, type RulesAtResultTime } from './stored-rules.ts'
import {
  findResultsClearedByFailCode,
  loadTests,
  type ResultChange,
  type StoredTest,
  updateRulesIds,
} from './stored-tests.ts'

/**
 * After the patient's sex or the collaborator was changed: entered values stay and are interpreted again. With `formerSex` only results
 * that depend on the sex change, and by the rules of their time: an old result is not interpreted by today's ranges. A collaborator with
 * another unit for an entered value is refused: values are not converted.
 */
export const reinterpretResults = async (
  write: WriteCall,
  requisitionIds: readonly number[],
  { formerSex, formerCollaboratorId }: { formerSex?: Sex | null; formerCollaboratorId?: number } = {},
) => {
  const tests = await loadTests(write.db, requisitionIds)
  const collaboratorIds = [formerCollaboratorId ?? [], ...tests.map(({ collaboratorId }) => collaboratorId)].flat()
  const book = await loadRuleBook(write.db, [...new Set(collaboratorIds)])
  if (formerCollaboratorId !== undefined) await requireSameUnits(write, tests, book, formerCollaboratorId)
  if (formerSex !== undefined) return interpretBySex(write, tests, book, formerSex)
  const changes: ResultChanges = new Map()
  for (const test of tests) {
    const { result, sex, reagent, processDate } = test
    if (test.isCalculated || result === null || test.failCodes !== null) continue
    const cells = enteredResult(book.of(test.collaboratorId, test.testId), sex, result)
    if (isSameResult(test, cells)) continue
    changes.set(test.id, { test, ...cells, reagent, processDate, reason: 'Interpreted again', isEntryKept: true })
  }
  for (const [, own] of Map.groupBy(tests, ({ requisitionId }) => requisitionId)) recalculate(own, book, changes)
  await storeChanges(write, tests, book, changes, { isComplete: true })
  // Results with the same interpretation are still printed with the range of the new rules.
  const unchanged = tests.filter(({ id, reportable }) => reportable !== null && !changes.has(id))
  await updateRulesIds(
    write.db,
    unchanged.map((test) => ({ test, rules: book.of(test.collaboratorId, test.testId) })),
  )
}

const interpretBySex = async (
  write: WriteCall,
  tests: readonly StoredTest[],
  book: RuleBook,
  formerSex: Sex | null,
) => {
  const rulesAtResultTime = await loadRulesAtResultTime(write.db, tests, book)
  const changes: ResultChanges = new Map()
  for (const [, own] of Map.groupBy(tests, ({ requisitionId }) => requisitionId)) {
    const formerBook = ruleBookAtResultTime(book, own, rulesAtResultTime)
    for (const test of own) {
      const { result, sex, reagent, processDate } = test
      if (test.isCalculated || result === null || test.failCodes !== null) continue
      const rules = formerBook.of(test.collaboratorId, test.testId)
      const cells = enteredResult(rules, sex, result)
      if (isSameResult(enteredResult(rules, formerSex, result), cells) || isSameResult(test, cells)) continue
      const reason = 'Interpreted again'
      changes.set(test.id, { test, ...cells, rules, reagent, processDate, reason, isEntryKept: true })
    }
    for (const change of calculatedBySex(own, formerBook, formerSex)) changes.set(change.test.id, change)
  }
  await storeChanges(write, tests, book, changes, { isComplete: true })
}

/** The rules by which the results of one requisition were interpreted. */
const ruleBookAtResultTime = (
  book: RuleBook,
  tests: readonly StoredTest[],
  rulesAtResultTime: RulesAtResultTime,
): RuleBook => {
  const byId = new Map(tests.map((test) => [test.testId, rulesAtResultTime(test)]))
  const byKey = new Map([...byId.values()].map((rules) => [rules.test.resultKey, rules]))
  return {
    of: (collaboratorId, testId) => byId.get(testId) ?? book.of(collaboratorId, testId),
    byKey: (collaboratorId, key) => byKey.get(key) ?? book.byKey(collaboratorId, key),
  }
}

/** Includes results cleared by a fail code: they return when the code is removed. */
const requireSameUnits = async (
  { db }: WriteCall,
  tests: readonly StoredTest[],
  book: RuleBook,
  formerCollaboratorId: number,
) => {
  const failed = tests.filter(({ result, failCodes }) => result === null && failCodes !== null)
  const cleared = await findResultsClearedByFailCode(
    db,
    failed.map(({ id }) => id),
  )
  const conflicts = tests.flatMap(({ id, testId, testCode, collaboratorId, isCalculated, result }) => {
    if (isCalculated || (result === null && !cleared.has(id))) return []
    const [former, now] = [book.of(formerCollaboratorId, testId), book.of(collaboratorId, testId)]
    return isSameUnit(former.units, now.units) ? [] : [`${testCode} (${former.units ?? 'no unit'}, now ${now.units})`]
  })
  if (conflicts.length > 0)
    throw invalid(
      'colaId',
      `This collaborator has other units for results that are there already: ${conflicts.join(', ')}`,
    )
}

/** The calculated tests whose results differ between the two sexes by the rules of their time. */
const calculatedBySex = (tests: readonly StoredTest[], book: RuleBook, formerSex: Sex | null): ResultChange[] => {
  const calculateFor = (sex: Sex | null) => {
    const emptied = tests.map((test) => ({ ...test, sex, ...(test.isCalculated && noResult) }))
    const changes: ResultChanges = new Map()
    recalculate(emptied, book, changes)
    return changes
  }
  const before = calculateFor(formerSex)
  const after = calculateFor(tests[0]?.sex ?? null)
  return tests.flatMap((test) => {
    const cells = after.get(test.id) ?? noResult
    const former = before.get(test.id) ?? noResult
    if (!test.isCalculated || isSameResult(former, cells) || isSameResult(test, cells)) return []
    const { reagent, processDate } = test
    const rules = book.of(test.collaboratorId, test.testId)
    return [{ ...cells, test, rules, reagent, processDate, reason: 'Interpreted again', isEntryKept: true }]
  })
}
