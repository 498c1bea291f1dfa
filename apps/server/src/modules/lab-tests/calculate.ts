import { calculatedResult, formulaKeys, noResult, type ResultCells } from '@lis/contract/results/engine.ts'
import type { RuleBook } from './rule-book.ts'
import type { RulesAtResultTime } from './stored-rules.ts'
import type { ResultChange, StoredTest } from './stored-tests.ts'

/** By the id of the test. */
export type ResultChanges = Map<number, ResultChange>

const newValues = (
  test: StoredTest,
  changes: ResultChanges,
): Pick<ResultCells, 'result'> & { processDate: string | null } => changes.get(test.id) ?? test

/** A failed test has no result, unless one is being entered. */
const isFailed = (test: StoredTest, changes: ResultChanges) =>
  test.failCodes !== null && (changes.get(test.id)?.result ?? null) === null

/**
 * Rule 9: computes the calculated tests of one requisition from the new values of its other tests, and adds those that differ to the
 * changes. A calculated test may depend on another one. With `rulesAtResultTime`, a changed range alone changes no result: a result stays as
 * long as its inputs do, and unchanged inputs are read by the rules they were entered under. Without it, everything is recalculated by
 * the current rules.
 */
export const recalculate = (
  tests: readonly StoredTest[],
  book: RuleBook,
  changes: ResultChanges,
  rulesAtResultTime?: RulesAtResultTime,
) => {
  const byKey = new Map(tests.map((test) => [test.resultKey, test]))
  const done = new Map<string, string | undefined>()
  const inputOf = (key: string): string | undefined => {
    if (done.has(key)) return done.get(key)
    done.set(key, undefined) // a circular formula finds no value
    const test = byKey.get(key)
    if (!test) return undefined
    if (test.isCalculated) calculate(test)
    const value = isFailed(test, changes) ? undefined : (newValues(test, changes).result ?? undefined)
    done.set(key, value)
    return value
  }
  const isChangedInput = (key: string) => {
    if (inputOf(key) === undefined) return true
    const input = byKey.get(key) as StoredTest
    const change = changes.get(input.id)
    return change !== undefined && !isSameResult(input, change)
  }
  const rulesOfInput = (collaboratorId: number, key: string) => {
    const input = byKey.get(key)
    return rulesAtResultTime && input && !changes.has(input.id)
      ? rulesAtResultTime(input)
      : book.byKey(collaboratorId, key)
  }
  const calculate = (test: StoredTest) => {
    const rules = book.of(test.collaboratorId, test.testId)
    const { formula, validity } = rules.test
    const inputs = [...(formula ? formulaKeys(formula) : []), ...validity.map(({ args: [key] }) => key)]
    if (rulesAtResultTime && test.reportable !== null && test.failCodes === null && !inputs.some(isChangedInput)) return
    const cells =
      test.failCodes === null
        ? calculatedResult(rules, test.sex, {
            value: inputOf,
            rules: (key) => rulesOfInput(test.collaboratorId, key),
          })
        : noResult
    if (isSameResult(test, cells)) return
    const dates = inputs.flatMap((key) => {
      const input = byKey.get(key)
      return (input && newValues(input, changes).processDate) ?? []
    })
    changes.set(test.id, {
      test,
      ...cells,
      reagent: test.reagent,
      processDate: cells.reportable === null ? null : (dates.sort().at(-1) ?? test.processDate),
      reason: 'Calculated again',
    })
  }
  for (const test of tests) if (test.isCalculated) inputOf(test.resultKey)
}

export const isSameResult = (test: ResultCells | StoredTest, cells: ResultCells) =>
  test.result === cells.result &&
  test.reportable === cells.reportable &&
  test.interpretation === cells.interpretation &&
  test.comment === cells.comment
