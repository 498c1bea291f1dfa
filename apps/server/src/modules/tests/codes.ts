import { messages } from '@lis/contract/messages.ts'
import { enteredResult, noResult } from '@lis/contract/results/engine.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { invalid } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { holdOutdatedReports } from '../deliveries/service.ts'
import type { Changes } from './calculate.ts'
import { lockForTests, requireTest } from './ordering.ts'
import { loadRuleBook } from './rule-book.ts'
import { moveCompleted } from './service.ts'
import { storeChanges } from './store-changes.ts'
import { failReason, findPutAside, loadTests, type StoredTest } from './stored-tests.ts'

const codeTypes = {
  PASS: { field: 'passIds', label: 'Pass Codes', name: 'passCodes' },
  FAIL: { field: 'failIds', label: 'Fail Codes', name: 'failCodes' },
} as const
type CodeType = keyof typeof codeTypes

/** The pass or fail codes of one test: the list given replaces the one that was there. */
export const setTestCodes = async (
  write: WriteCall,
  at: { id: number; testId: number },
  type: CodeType,
  reasonIds: readonly number[],
  expected: number | null,
): Promise<{ id: number; version: number }> => {
  const head = await lockForTests(write, at.id)
  const test = await requireTest(write, at.id, at.testId)
  if (expected !== null && expected !== test.version)
    await requireVersion(write.db, 'requisition_test', expected, { ...test, ...(await codeIdsOf(write, test.id)) })
  await requireReasons(write, type, reasonIds)
  const old = await codesOf(write, test.id, type)
  await sql`delete from requisition_test_reason x using reason r where r.id = x.reason_id and r.type_code = ${type} and x.requisition_test_id = ${test.id}`.execute(
    write.db,
  )
  await sql`insert into requisition_test_reason (requisition_test_id, reason_id) select ${test.id}, unnest(${[...reasonIds]}::int[])`.execute(
    write.db,
  )
  const now = await codesOf(write, test.id, type)
  if (old.codes === now.codes) return { id: test.id, version: test.version }
  await sql`update requisition_test set version = version + 1 where id = ${test.id}`.execute(write.db)
  const { name } = codeTypes[type]
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
  if (old.printed !== now.printed) await holdOutdatedReports(write, [at.id], { recoded: [test.id] })
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
  const changes: Changes = new Map()
  const kept = { test, reagent: test.reagent, reason: `${failReason} ${codes}` }
  if (codes !== '' && !test.isCalculated && (test.reportable !== null || test.isModifiable)) {
    changes.set(test.id, { ...kept, ...noResult, processDate: test.processDate })
  }
  const back = codes === '' && test.result === null ? (await findPutAside(write.db, [test.id])).get(test.id) : undefined
  if (back !== undefined) {
    const cells = enteredResult(book.of(test.collaboratorId, test.testId), test.sex, back)
    changes.set(test.id, { ...kept, ...cells, processDate: test.processDate ?? new Date().toISOString() })
  }
  await storeChanges(write, tests, book, changes, { alsoRecalculate: [before.requisitionId] })
}

const requireReasons = async ({ db }: WriteCall, type: CodeType, ids: readonly number[]) => {
  const { rows } = await sql<{ id: number }>`
    select id from reason where type_code = ${type} and is_active and scope in ('TEST', 'BOTH') and id = any(${[...ids]}::bigint[])`.execute(
    db,
  )
  if (rows.length !== ids.length) throw invalid(codeTypes[type].field, messages.invalid(codeTypes[type].label))
}

/** What whoever was late compares with. */
const codeIdsOf = async ({ db }: WriteCall, id: number) => {
  const { rows } = await sql<{ passIds: number[]; failIds: number[] }>`
    select coalesce(array_agg(r.id order by r.id) filter (where r.type_code = 'PASS'), '{}') as "passIds",
      coalesce(array_agg(r.id order by r.id) filter (where r.type_code = 'FAIL'), '{}') as "failIds"
    from requisition_test_reason x join reason r on r.id = x.reason_id where x.requisition_test_id = ${id}`.execute(db)
  return rows[0]
}

/** All of them, and those whose texts stand on reports. */
const codesOf = async ({ db }: WriteCall, id: number, type: CodeType): Promise<{ codes: string; printed: string }> => {
  const { rows } = await sql<{ codes: string; printed: string }>`
    select coalesce(string_agg(r.code, ', ' order by r.code), '') as codes,
      coalesce(string_agg(r.code, ', ' order by r.code) filter (where r.type_code = 'FAIL' or r.is_comment), '') as printed
    from requisition_test_reason x join reason r on r.id = x.reason_id and r.type_code = ${type} where x.requisition_test_id = ${id}`.execute(
    db,
  )
  return rows[0] as (typeof rows)[number]
}
