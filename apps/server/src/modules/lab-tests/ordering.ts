import { messages } from '@lis/contract/messages.ts'
import { displayStatus, isEditable } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisition, type RequisitionHead } from '../requisition-record/queries.ts'
import { updateNoTestIssue } from '../specimens/service.ts'
import { loadRuleBook } from './rule-book.ts'
import { moveCompleted } from './service.ts'
import { storeChanges } from './store-changes.ts'
import { loadTests, type StoredTest } from './stored-tests.ts'

/** Panels and single tests. */
export interface TestChoice {
  panelIds: readonly number[]
  testIds: readonly number[]
}

/** The tests of a choice, each once: under its panel unless it was chosen by itself. */
const wanted = ({ panelIds, testIds }: TestChoice) => sql`
  select distinct on (w.test_id) w.test_id, w.panel_id from (
    select pt.test_id, pt.panel_id, 1 as place from panel_test pt join test t on t.id = pt.test_id and t.deleted_at is null
      where pt.panel_id = any(${[...panelIds]}::int[])
    union all select id, null, 0 from unnest(${[...testIds]}::int[]) as id) w
  order by w.test_id, w.place, w.panel_id`

/** The tests that a choice orders; refuses what is not in the catalogue. */
export const getChosenTestIds = async (db: Db, choice: TestChoice): Promise<number[]> => {
  const { panelIds, testIds } = choice
  const { rows } = await sql<{ panels: number; tests: number; ids: number[] }>`
    select (select count(*) from panel where id = any(${[...panelIds]}::bigint[]) and deleted_at is null) as panels,
      (select count(*) from test where id = any(${[...testIds]}::bigint[]) and deleted_at is null) as tests,
      array(select x.test_id from (${wanted(choice)}) x) as ids`.execute(db)
  if (rows[0]?.panels !== panelIds.length) throw invalid('panelIds', messages.invalid('Panels'))
  if (rows[0].tests !== testIds.length) throw invalid('testIds', messages.invalid('Tests'))
  return rows[0].ids
}

/** Orders what is not ordered yet. */
export const orderTests = async (
  write: WriteCall,
  requisitionId: number,
  choice: TestChoice,
): Promise<{ id: number; code: string }[]> => {
  const { rows } = await sql<{ id: number; code: string }>`
    with wanted as (${wanted(choice)}),
    made as (insert into requisition_test (requisition_id, test_id, panel_id)
      select ${requisitionId}, w.test_id, w.panel_id from wanted w join test t on t.id = w.test_id
      where not exists (select from requisition_test x where x.requisition_id = ${requisitionId} and x.test_id = w.test_id and x.deleted_at is null and not x.is_retest)
      order by t.sort_order returning id, test_id)
    select made.id, t.code from made join test t on t.id = made.test_id order by t.sort_order`.execute(write.db)
  if (rows.length === 0) return []
  await recordAudit(write.db, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'TEST',
    new: { added: rows.map(({ code }) => code).join(', ') },
  })
  await updateNoTestIssue(write.db, requisitionId)
  return rows
}

/** The requisition, held for a change of its tests: they may be changed until it is resulted (TEST-47). */
export const lockForTestChange = async (write: WriteCall, id: number): Promise<RequisitionHead> => {
  const head = await lockRequisition(write.db, write.actor, id)
  if (isEditable(head.status_code)) return head
  throw conflict(`Requisition #${id} is ${displayStatus(head.status_code)}: its tests can no longer be changed`)
}

/** The same for results, modify and retest, which belong to Processing (TEST-46). */
const lockInProcess = async (write: WriteCall, id: number): Promise<void> => {
  const head = await lockRequisition(write.db, write.actor, id)
  if (head.status_code === 'PROCESS') return
  throw conflict(
    `Requisition #${id} is ${displayStatus(head.status_code)}: a test is modified or retested only in Processing`,
  )
}

/** One current test of the requisition; one that a retest has replaced is history and cannot be changed. */
export const requireTest = async ({ db }: WriteCall, requisitionId: number, id: number): Promise<StoredTest> => {
  const found = (await loadTests(db, [requisitionId])).find((test) => test.id === id)
  if (!found) throw notFound('Test')
  return found
}

const auditTests = (write: WriteCall, requisitionId: number, old: AuditRecord['old'] | null, now: AuditRecord['new']) =>
  recordAudit(write.db, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'TEST',
    ...(old && { old }),
    new: now,
  })

/** After the set of tests has changed: what can be calculated now is, what no longer can is emptied. */
const recalculateAll = async (write: WriteCall, requisitionId: number) => {
  const tests = await loadTests(write.db, [requisitionId])
  const book = await loadRuleBook(write.db, [...new Set(tests.map(({ collaboratorId }) => collaboratorId))])
  await storeChanges(write, tests, book, new Map(), { alsoRecalculate: [requisitionId] })
}

/** Orders the tests of panels and single tests; what is ordered already stays as it is. */
export const addTests = async (
  write: WriteCall,
  requisitionId: number,
  choice: TestChoice,
): Promise<{ id: number; ids: number[] }> => {
  await lockForTestChange(write, requisitionId)
  await getChosenTestIds(write.db, choice)
  const rows = await orderTests(write, requisitionId, choice)
  const [first] = rows
  if (!first) throw conflict('These tests are ordered already')
  await recalculateAll(write, requisitionId)
  return { id: first.id, ids: rows.map(({ id }) => id) }
}

/** Takes tests off the order, all of them or none. What has a result has a history and stays. */
export const removeTests = async (write: WriteCall, requisitionId: number, ids: readonly number[]) => {
  await lockForTestChange(write, requisitionId)
  const tests = await loadTests(write.db, [requisitionId])
  const found = ids.map((id) => tests.find((test) => test.id === id))
  if (found.includes(undefined)) throw notFound('Test')
  const chosen = found as StoredTest[]
  const kept = chosen.filter(
    ({ isCalculated, reportable, retestOfId }) => !isCalculated && (reportable !== null || retestOfId !== null),
  )
  if (kept.length > 0) {
    throw conflict(`${kept.map(({ testCode }) => testCode).join(', ')}: a test with a result cannot be removed`)
  }
  await sql`update requisition_test set deleted_at = now(), version = version + 1 where id = any(${[...ids]}::bigint[])`.execute(
    write.db,
  )
  await auditTests(
    write,
    requisitionId,
    { removed: chosen.map(({ testCode }) => testCode).join(', ') },
    { removed: '' },
  )
  await updateNoTestIssue(write.db, requisitionId)
  await recalculateAll(write, requisitionId)
  // Without any measured test left nothing has been resulted.
  if (tests.some((test) => !test.isCalculated && !ids.includes(test.id))) await moveCompleted(write, [requisitionId])
}

const requireFinished = ({ testCode, isCalculated, result, failCodes }: StoredTest) => {
  if (isCalculated) throw conflict(`${testCode} is calculated from other tests`)
  if (result === null && failCodes === null) throw conflict(`${testCode} has no result yet`)
}

/** Opens a result for correction; it stands until another is saved in its place. */
export const openModification = async (write: WriteCall, requisitionId: number, id: number) => {
  await lockInProcess(write, requisitionId)
  const test = await requireTest(write, requisitionId, id)
  requireFinished(test)
  if (test.isModifiable) return { id, version: test.version }
  return setModifiable(write, test, true)
}

/** Closes it again; the result that stood before stays. */
export const cancelModification = async (write: WriteCall, requisitionId: number, id: number) => {
  await lockInProcess(write, requisitionId)
  const test = await requireTest(write, requisitionId, id)
  if (!test.isModifiable) return { id, version: test.version }
  const saved = await setModifiable(write, test, false)
  await moveCompleted(write, [requisitionId])
  return saved
}

const setModifiable = async (write: WriteCall, { id, requisitionId, testCode }: StoredTest, isOpen: boolean) => {
  const { rows } = await sql<{ id: number; version: number }>`
    update requisition_test set is_modifiable = ${isOpen}, version = version + 1 where id = ${id} returning id, version`.execute(
    write.db,
  )
  await auditTests(write, requisitionId, null, { [testCode]: isOpen ? 'Modify' : 'Modify canceled' })
  return rows[0] as { id: number; version: number }
}

/** The old row stays as history; an open one takes its place (TEST-G4). */
export const retest = async (write: WriteCall, requisitionId: number, id: number) => {
  await lockInProcess(write, requisitionId)
  const test = await requireTest(write, requisitionId, id)
  requireFinished(test)
  await sql`update requisition_test set is_retest = true, is_modifiable = false, version = version + 1 where id = ${id}`.execute(
    write.db,
  )
  const { rows } = await sql<{ id: number; version: number }>`
    insert into requisition_test (requisition_id, test_id, panel_id, retest_of_id)
    select requisition_id, test_id, panel_id, id from requisition_test where id = ${id} returning id, version`.execute(
    write.db,
  )
  const { testCode, result, failCodes } = test
  await auditTests(write, requisitionId, { [testCode]: result ?? failCodes }, { [testCode]: 'Retest' })
  await recalculateAll(write, requisitionId)
  return rows[0] as { id: number; version: number }
}
