import { messages } from '@lis/contract/messages.ts'
import { displayStatus, isEditable } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
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

/** Each chosen test once: under its panel unless it was also chosen on its own. */
const chosenTests = ({ panelIds, testIds }: TestChoice) => sql`
  select distinct on (w.test_id) w.test_id, w.panel_id from (
    select pt.test_id, pt.panel_id, 1 as place from panel_test pt join test t on t.id = pt.test_id and t.deleted_at is null
      where pt.panel_id = any(${[...panelIds]}::int[])
    union all select id, null, 0 from unnest(${[...testIds]}::int[]) as id) w
  order by w.test_id, w.place, w.panel_id`

/** Refuses panels and tests that are not in the catalogue. */
export const getChosenTestIds = async (db: Db, choice: TestChoice): Promise<number[]> => {
  const { panelIds, testIds } = choice
  const { rows } = await sql<{ panels: number; tests: number; ids: number[] }>`
    select (select count(*) from panel where id = any(${[...panelIds]}::bigint[]) and deleted_at is null) as panels,
      (select count(*) from test where id = any(${[...testIds]}::bigint[]) and deleted_at is null) as tests,
      array(select x.test_id from (${chosenTests(choice)}) x) as ids`.execute(db)
  if (rows[0]?.panels !== panelIds.length) throw invalid('panelIds', messages.invalid('Panels'))
  if (rows[0].tests !== testIds.length) throw invalid('testIds', messages.invalid('Tests'))
  return rows[0].ids
}

/** Orders the chosen tests that are not ordered yet. */
export const orderTests = async (
  write: WriteCall,
  requisitionId: number,
  choice: TestChoice,
): Promise<{ id: number; code: string }[]> => {
  const { rows } = await sql<{ id: number; code: string }>`
    with chosen as (${chosenTests(choice)}),
    made as (insert into requisition_test (requisition_id, test_id, panel_id)
      select ${requisitionId}, w.test_id, w.panel_id from chosen w join test t on t.id = w.test_id
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

/** Tests may be changed until the requisition is resulted (TEST-47). */
export const lockForTestChange = async (write: WriteCall, id: number): Promise<RequisitionHead> => {
  const head = await lockRequisition(write.db, write.actor, id)
  if (isEditable(head.status_code)) return head
  throw conflict(`Requisition #${id} is ${displayStatus(head.status_code)}: its tests can no longer be changed`)
}

/** Tests are modified and retested in Processing only (TEST-46). */
const lockInProcessing = async (write: WriteCall, id: number): Promise<void> => {
  const head = await lockRequisition(write.db, write.actor, id)
  if (head.status_code === 'PROCESS') return
  throw conflict(
    `Requisition #${id} is ${displayStatus(head.status_code)}: a test is modified or retested only in Processing`,
  )
}

/** A current test of the requisition; one that a retest has replaced cannot be changed. */
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

/** After tests were added or removed: computes what can be calculated now and clears what no longer can. */
export const recalculateAll = async (write: WriteCall, requisitionId: number) => {
  const tests = await loadTests(write.db, [requisitionId])
  const book = await loadRuleBook(write.db, [...new Set(tests.map(({ collaboratorId }) => collaboratorId))])
  await storeChanges(write, tests, book, new Map(), { alsoRecalculate: [requisitionId] })
}

/** Orders panels and single tests; tests that are ordered already are left alone. */
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

/** Removes tests from the order, all or none. A test with a result has a history and cannot be removed. */
export const removeTests = async (write: WriteCall, requisitionId: number, ids: readonly number[]) => {
  await lockForTestChange(write, requisitionId)
  const tests = await loadTests(write.db, [requisitionId])
  const found = ids.map((id) => tests.find((test) => test.id === id))
  if (found.includes(undefined)) throw notFound('Test')
  const chosen = found as StoredTest[]
  const resulted = chosen.filter(
    ({ isCalculated, reportable, retestOfId }) => !isCalculated && (reportable !== null || retestOfId !== null),
  )
  if (resulted.length > 0) {
    throw conflict(`${resulted.map(({ testCode }) => testCode).join(', ')}: a test with a result cannot be removed`)
  }
  await write.db
    .updateTable('requisition_test')
    .set((eb) => ({ deleted_at: sql<string>`now()`, version: eb('version', '+', 1) }))
    .where('id', '=', anyId(ids))
    .execute()
  await auditTests(
    write,
    requisitionId,
    { removed: chosen.map(({ testCode }) => testCode).join(', ') },
    { removed: '' },
  )
  await updateNoTestIssue(write.db, requisitionId)
  await recalculateAll(write, requisitionId)
  // A requisition with no measured test left does not become Resulted.
  if (tests.some((test) => !test.isCalculated && !ids.includes(test.id))) await moveCompleted(write, [requisitionId])
}

const requireFinished = ({ testCode, isCalculated, result, failCodes }: StoredTest) => {
  if (isCalculated) throw conflict(`${testCode} is calculated from other tests`)
  if (result === null && failCodes === null) throw conflict(`${testCode} has no result yet`)
}

/** Opens a result for correction; it stays until another is saved. */
export const openModification = async (write: WriteCall, requisitionId: number, id: number) => {
  await lockInProcessing(write, requisitionId)
  const test = await requireTest(write, requisitionId, id)
  requireFinished(test)
  if (test.isModifiable) return { id, version: test.version }
  return setModifiable(write, test, true)
}

/** Closes it again; the former result stays. */
export const cancelModification = async (write: WriteCall, requisitionId: number, id: number) => {
  await lockInProcessing(write, requisitionId)
  const test = await requireTest(write, requisitionId, id)
  if (!test.isModifiable) return { id, version: test.version }
  const saved = await setModifiable(write, test, false)
  await moveCompleted(write, [requisitionId])
  return saved
}

const setModifiable = async (write: WriteCall, { id, requisitionId, testCode }: StoredTest, isOpen: boolean) => {
  const saved = await write.db
    .updateTable('requisition_test')
    .set((eb) => ({ is_modifiable: isOpen, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .returning(['id', 'version'])
    .executeTakeFirstOrThrow()
  await auditTests(write, requisitionId, null, { [testCode]: isOpen ? 'Modify' : 'Modify canceled' })
  return saved
}

/** Replaces a test by a new one without a result; the old row stays as history (TEST-G4). */
export const retest = async (write: WriteCall, requisitionId: number, id: number) => {
  await lockInProcessing(write, requisitionId)
  const test = await requireTest(write, requisitionId, id)
  requireFinished(test)
  await write.db
    .updateTable('requisition_test')
    .set((eb) => ({ is_retest: true, is_modifiable: false, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
  const added = await write.db
    .insertInto('requisition_test')
    .columns(['requisition_id', 'test_id', 'panel_id', 'retest_of_id'])
    .expression((eb) =>
      eb.selectFrom('requisition_test').select(['requisition_id', 'test_id', 'panel_id', 'id']).where('id', '=', id),
    )
    .returning(['id', 'version'])
    .executeTakeFirstOrThrow()
  const { testCode, result, failCodes } = test
  await auditTests(write, requisitionId, { [testCode]: result ?? failCodes }, { [testCode]: 'Retest' })
  await recalculateAll(write, requisitionId)
  return added
}
