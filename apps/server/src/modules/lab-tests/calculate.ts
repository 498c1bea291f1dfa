import { calculatedResult, formulaKeys, noResult, type ResultCells } from '@lis/contract/results/engine.ts'
import type { RuleBook } from './rule-book.ts'
import type { RulesAtResultTime } from './stored-rules.ts'
import type { ResultChange, StoredTest } from './stored-tests.ts'

/** What a test will hold: its change, or what it holds already. */
export type ResultChanges = Map<number, ResultChange>

const cellsOf = (
  test: StoredTest,
  changes: ResultChanges,
): Pick<ResultCells, 'result'> & { processDate: string | null } => changes.get(test.id) ?? test

/** A failed test has no result, until one is entered in its place. */
const isFailed = (test: StoredTest, changes: ResultChanges) =>
  test.failCodes !== null && (changes.get(test.id)?.result ?? null) === null

/**
 * Rule 9: works out the calculated tests of one requisition from what its other tests will hold, and adds to the changes those that
 * come out differently. A calculated test may stand on another calculated one. With `then` a changed range touches nothing by itself:
 * what has a result stays as long as its inputs do, and inputs that stay are read by the rules of their day. Without it all is worked
 * out by the book.
 */
export const recalculate = (
  tests: readonly StoredTest[],
  book: RuleBook,
  changes: ResultChanges,
  then?: RulesAtResultTime,
) => {
  const byKey = new Map(tests.map((test) => [test.resultKey, test]))
  const done = new Map<string, string | undefined>()
  const inputOf = (key: string): string | undefined => {
    if (done.has(key)) return done.get(key)
    done.set(key, undefined) // a formula that leads back to itself finds nothing
    const test = byKey.get(key)
    if (!test) return undefined
    if (test.isCalculated) calculate(test)
    const value = isFailed(test, changes) ? undefined : (cellsOf(test, changes).result ?? undefined)
    done.set(key, value)
    return value
  }
  const isOther = (key: string) => {
    if (inputOf(key) === undefined) return true
    const input = byKey.get(key) as StoredTest
    const change = changes.get(input.id)
    return change !== undefined && !isSameResult(input, change)
  }
  const rulesOfInput = (collaboratorId: number, key: string) => {
    const input = byKey.get(key)
    return then && input && !changes.has(input.id) ? then(input) : book.byKey(collaboratorId, key)
  }
  const calculate = (test: StoredTest) => {
    const rules = book.of(test.collaboratorId, test.testId)
    const { formula, validity } = rules.test
    const inputs = [...(formula ? formulaKeys(formula) : []), ...validity.map(({ args: [key] }) => key)]
    if (then && test.reportable !== null && test.failCodes === null && !inputs.some(isOther)) return
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
      return (input && cellsOf(input, changes).processDate) ?? []
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
