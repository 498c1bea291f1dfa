import type { ReqTest } from '@lis/contract/requisition-tests.ts'
import { notCalculatedText } from '@lis/contract/results/engine.ts'

/** How many tests are resulted, failed and so on, for the footer of the grid. */
export const progressOf = (
  tests: readonly Pick<ReqTest, 'isResulted' | 'isCalculated' | 'testFailCodes' | 'reportableResult'>[],
  { isUnreported, unsaved }: { isUnreported: boolean; unsaved: number },
): string[] => {
  const failed = tests.filter(({ testFailCodes }) => isUnreported || testFailCodes.length > 0)
  const others = tests.filter((test) => !failed.includes(test))
  const isNotCalculated = (test: (typeof tests)[number]) =>
    test.isCalculated === 1 && test.reportableResult === notCalculatedText
  const notCalculated = others.filter(isNotCalculated).length
  const calculated = tests.filter((test) => test.isCalculated === 1 && !isNotCalculated(test)).length
  return [
    `${others.filter((test) => test.isResulted === 1 && !isNotCalculated(test)).length} resulted`,
    `${failed.length} failed`,
    `${others.filter(({ isResulted }) => isResulted === 0).length} without result`,
    ...(notCalculated > 0 ? [`${notCalculated} not calculated`] : []),
    ...(unsaved > 0 ? [`${unsaved} not saved`] : []),
    `${calculated} calculated`,
  ]
}
