import { enteredResult, noResult } from '@lis/contract/results/engine.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { announce } from '../../platform/domain-events.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { failReason } from '../requisition-record/put-aside.ts'
import type { ResultChanges } from './calculate.ts'
import { lockForTestChange, requireTest } from './ordering.ts'
import { type CodeType, replaceCodes } from './replace-codes.ts'
import { loadRuleBook } from './rule-book.ts'
import { moveCompleted } from './service.ts'
import { storeChanges } from './store-changes.ts'
import { findResultsClearedByFailCode, loadTests, type StoredTest } from './stored-tests.ts'

/** Replaces the pass or fail codes of one test. */
export const setTestCodes = async (
  write: WriteCall,
  at: { id: number; testId: number },
  type: CodeType,
  reasonIds: readonly number[],
  expected: number | null,
): Promise<{ id: number; version: number }> => {
  const head = await lockForTestChange(write, at.id)
  const test = await requireTest(write, at.id, at.testId)
  if (expected !== null && expected !== test.version)
    await requireVersion(write.db, 'requisition_test', expected, { ...test, ...(await readCodeIds(write, test.id)) })
  const { name, old, now } = await replaceCodes(write, { kind: 'TEST', id: test.id }, type, reasonIds)
  if (old.codes === now.codes) return { id: test.id, version: test.version }
  await write.db
    .updateTable('requisition_test')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', test.id)
    .execute()
  await recordAudit(write.db, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: at.id,
    requisitionId: at.id,
    action: 'TEST',
    old: { [`${test.testCode} ${name}`]: old.codes },
    new: { [`${test.testCode} ${name}`]: now.codes },
  })
  if (type === 'FAIL') {
    await propagateFailCodes(write, test, now.codes)
    if (head.status_code === 'PROCESS') await moveCompleted(write, [at.id])
  }
  if (old.printed !== now.printed)
    await announce(write, 'resultsChanged', { requisitionIds: [at.id], recoded: [test.id] })
  const { version } = await requireTest(write, at.id, at.testId)
  return { id: test.id, version }
}

/**
 * A failed test counts as finished without a result: its result moves to the history and returns when the last fail code is removed, so
 * that a wrong click loses nothing. Tests calculated from it are recalculated either way.
 */
const propagateFailCodes = async (write: WriteCall, before: StoredTest, codes: string) => {
  const tests = await loadTests(write.db, [before.requisitionId])
  const book = await loadRuleBook(write.db, [before.collaboratorId])
  const test = tests.find(({ id }) => id === before.id) as StoredTest
  const changes: ResultChanges = new Map()
  const base = { test, reagent: test.reagent, reason: `${failReason} ${codes}` }
  if (codes !== '' && !test.isCalculated && (test.reportable !== null || test.isModifiable)) {
    changes.set(test.id, { ...base, ...noResult, processDate: test.processDate })
  }
  const restored =
    codes === '' && test.result === null
      ? (await findResultsClearedByFailCode(write.db, [test.id])).get(test.id)
      : undefined
  if (restored !== undefined) {
    const cells = enteredResult(book.of(test.collaboratorId, test.testId), test.sex, restored)
    changes.set(test.id, { ...base, ...cells, processDate: test.processDate ?? new Date().toISOString() })
  }
  await storeChanges(write, tests, book, changes, { alsoRecalculate: [before.requisitionId] })
}

/** For the reply to a save with an old version. */
const readCodeIds = ({ db }: WriteCall, id: number) =>
  db
    .selectFrom('requisition_test_reason as x')
    .innerJoin('reason as r', 'r.id', 'x.reason_id')
    .select((eb) => {
      const idsOf = (type: CodeType) =>
        eb.fn.coalesce(
          eb.fn.agg<number[]>('array_agg', ['r.id']).orderBy('r.id').filterWhere('r.type_code', '=', type),
          sql<number[]>`'{}'`,
        )
      return [idsOf('PASS').as('passIds'), idsOf('FAIL').as('failIds')]
    })
    .where('x.requisition_test_id', '=', id)
    .executeTakeFirst()
