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

/** The pass or fail codes of one test: the list given replaces the one that was there. */
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
    await requireVersion(write.db, 'requisition_test', expected, { ...test, ...(await codeIdsOf(write, test.id)) })
  const { name, old, now } = await replaceCodes(write, { kind: 'TEST', id: test.id }, type, reasonIds)
  if (old.codes === now.codes) return { id: test.id, version: test.version }
  await sql`update requisition_test set version = version + 1 where id = ${test.id}`.execute(write.db)
  await recordAudit(write.db, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: at.id,
    requisitionId: at.id,
    action: 'TEST',
    old: { [`${test.testCode} ${name}`]: old.codes },
    new: { [`${test.testCode} ${name}`]: now.codes },
  })
  if (type === 'FAIL') {
    await followFailCodes(write, test, now.codes)
    if (head.status_code === 'PROCESS') await moveCompleted(write, [at.id])
  }
  if (old.printed !== now.printed)
    await announce(write, 'resultsChanged', { requisitionIds: [at.id], recoded: [test.id] })
  const { version } = await requireTest(write, at.id, at.testId)
  return { id: test.id, version }
}

/**
 * A failed test counts as finished without result: its result goes into the history, and comes back when the last fail code is taken
 * away, for a wrong click must not cost a result. What is calculated from it follows either way.
 */
const followFailCodes = async (write: WriteCall, before: StoredTest, codes: string) => {
  const tests = await loadTests(write.db, [before.requisitionId])
  const book = await loadRuleBook(write.db, [before.collaboratorId])
  const test = tests.find(({ id }) => id === before.id) as StoredTest
  const changes: ResultChanges = new Map()
  const kept = { test, reagent: test.reagent, reason: `${failReason} ${codes}` }
  if (codes !== '' && !test.isCalculated && (test.reportable !== null || test.isModifiable)) {
    changes.set(test.id, { ...kept, ...noResult, processDate: test.processDate })
  }
  const back =
    codes === '' && test.result === null
      ? (await findResultsClearedByFailCode(write.db, [test.id])).get(test.id)
      : undefined
  if (back !== undefined) {
    const cells = enteredResult(book.of(test.collaboratorId, test.testId), test.sex, back)
    changes.set(test.id, { ...kept, ...cells, processDate: test.processDate ?? new Date().toISOString() })
  }
  await storeChanges(write, tests, book, changes, { alsoRecalculate: [before.requisitionId] })
}

/** What whoever was late compares with. */
const codeIdsOf = async ({ db }: WriteCall, id: number) => {
  const { rows } = await sql<{ passIds: number[]; failIds: number[] }>`
    select coalesce(array_agg(r.id order by r.id) filter (where r.type_code = 'PASS'), '{}') as "passIds",
      coalesce(array_agg(r.id order by r.id) filter (where r.type_code = 'FAIL'), '{}') as "failIds"
    from requisition_test_reason x join reason r on r.id = x.reason_id where x.requisition_test_id = ${id}`.execute(db)
  return rows[0]
}
