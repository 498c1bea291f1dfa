import { calculatedResult, enteredResult, noResult, type ResultCells } from '@lis/contract/results/engine.ts'
import { hour, isoInstant, minute } from './clock.ts'
import type { Draft, RequisitionContext, TestedResult } from './draft.ts'
import type { OrderedTest } from './orders.ts'
import { weighted } from './random.ts'
import { Sample } from './result-values.ts'

const failCodes = weighted([
  ['901', 40],
  ['902', 20],
  ['903', 10],
  ['908', 8],
  ['915', 8],
  ['916', 8],
  ['920', 6],
] as const)
const passCodes = weighted([
  ['110', 40],
  ['111', 20],
  ['113', 25],
  ['112', 15],
] as const)

/** Writes the ordered tests with what the stage of the requisition allows, and answers what came out. */
export const addTests = (context: RequisitionContext, draft: Draft): TestedResult[] => {
  const tested = resultsOf(context, draft)
  const { random, timeline } = draft
  const processedAt = Math.min(
    (timeline.first('PROCESS') ?? 0) + random.between(0.3, 2) * hour,
    lastMoment(context, draft),
  )
  const resultedAt = lastMoment(context, draft)
  const technician = context.world.users.of(context.catalogue.departmentId('LAB'), random)
  tested.forEach((entry, index) => {
    const { panelId } = draft.order.tests[index] as OrderedTest
    const { cells, failCode, test } = entry
    const isDone = cells.reportable !== null || failCode !== null
    const id = context.ids.next('requisition_test')
    context.rows.add('requisition_test', {
      id,
      requisition_id: draft.id,
      test_id: test.id,
      panel_id: panelId,
      process_date: isDone ? isoInstant(processedAt) : null,
      result: cells.result,
      result_num: cells.resultNum,
      reportable_result: cells.reportable,
      interpretation: cells.interpretation,
      rules_id: cells.reportable === null ? null : context.rules.keptId(draft.client, test.testCode),
      reagent: test.reagentKey && isDone ? `LOT ${random.int(21, 26)}-${random.digits(4)}` : null,
      comment: cells.comment,
      resulted_at: isDone ? isoInstant(resultedAt) : null,
      resulted_by: isDone ? technician : null,
      created_at: isoInstant(draft.loggedAt),
    })
    if (failCode) addReason(context, id, failCode)
    else if (cells.resultNum && !test.isCalculated) addRemarks(context, draft, id, entry, processedAt, technician)
  })
  return tested
}

/** The moment the last result was saved; in Processing, the latest one that is not in the future. */
const lastMoment = (context: RequisitionContext, { timeline, random }: Draft): number => {
  const processedAt = timeline.first('PROCESS')
  const resulted = timeline.first('RESULT')
  if (resulted !== undefined || processedAt === undefined) return resulted ?? context.plan.asOf
  return Math.min(processedAt + random.between(2, 9) * hour, context.plan.asOf - minute)
}

const resultsOf = (context: RequisitionContext, draft: Draft): TestedResult[] => {
  const { order, random, patient, client, stage } = draft
  const measured = order.tests.filter(({ test }) => !test.isCalculated)
  // In Processing at least one measured test is still open, otherwise the requisition would have moved on automatically.
  const open = stage < 2 ? measured.length : stage === 2 ? random.int(1, measured.length) : 0
  const finished = new Set(measured.slice(0, measured.length - open).map(({ test }) => test.testCode))
  const sample = new Sample(random, patient)
  const entered = new Map<string, string>()
  const results = new Map<string, TestedResult>()
  for (const { test } of measured) {
    const isDone = finished.has(test.testCode)
    const failCode = isDone && random.chance(0.018) ? random.draw(failCodes) : null
    let cells: ResultCells = noResult
    if (isDone && !failCode) {
      const text = sample.valueOf(test)
      entered.set(test.resultKey, text)
      cells = enteredResult(context.rules.of(client, test.testCode), patient.sex, text)
    }
    results.set(test.testCode, { test, cells, failCode })
  }
  const inputs = { value: (key: string) => entered.get(key), rules: (key: string) => context.rules.of(client, key) }
  return order.tests.map(({ test }) => {
    const known = results.get(test.testCode)
    if (known) return known
    const cells = calculatedResult(context.rules.of(client, test.testCode), patient.sex, inputs)
    return { test, cells, failCode: null }
  })
}

const addReason = (context: RequisitionContext, testId: number, code: string) =>
  context.rows.add('requisition_test_reason', {
    requisition_test_id: testId,
    reason_id: context.catalogue.reasonId(code),
  })

/** A pass code now and then; and some results were entered wrongly first, which leaves a trace. */
const addRemarks = (
  context: RequisitionContext,
  draft: Draft,
  testId: number,
  { cells, test }: TestedResult,
  processedAt: number,
  technician: number,
) => {
  const { random } = draft
  if (random.chance(0.03)) addReason(context, testId, random.draw(passCodes))
  if (!context.isDetailed || !random.chance(0.012)) return
  const mistyped = (Number(cells.result) * 1.1).toFixed(test.significantDigits)
  const old = enteredResult(context.rules.of(draft.client, test.testCode), draft.patient.sex, mistyped)
  context.rows.add('requisition_test_revision', {
    id: context.ids.next('requisition_test_revision'),
    requisition_test_id: testId,
    result: old.result,
    reportable_result: old.reportable,
    interpretation: old.interpretation,
    replaced_at: isoInstant(processedAt),
    replaced_by: technician,
    reason: 'Entered wrongly, corrected from the instrument print-out',
  })
}
