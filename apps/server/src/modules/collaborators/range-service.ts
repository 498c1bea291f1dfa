import {
  type CollaboratorRange,
  type RangeInput,
  type RangeUpdate,
  rangeInput,
  rangeLabels,
} from '@lis/contract/collaborator-ranges.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { isSameUnit } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { conflict, invalid, invalidInput, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { findRow } from '../../platform/lists.ts'
import { findTestsWithRange, hasNumericResult, rangeColumns, rangeList, type TestWithRange } from './queries.ts'
import { getCollaborator } from './service.ts'

const audit = (
  { db, actor, requestId }: WriteCall,
  collaboratorId: number,
  id: number,
  { old, new: added, action }: { action: string; old?: CollaboratorRange; new?: CollaboratorRange },
) => {
  const record: AuditRecord = { entity: 'collaborator_test_range', entityId: id, action }
  if (old) record.old = { collaboratorId, ...old }
  if (added) record.new = { collaboratorId, ...added }
  return recordAudit(db, actor, requestId, record)
}

export const getRange = async (db: Db, collaboratorId: number, id: number): Promise<CollaboratorRange> => {
  const found = await findRow<CollaboratorRange>(db, rangeList(collaboratorId), id)
  if (!found) throw notFound('Test range')
  return found
}

/** Adds all of them or none. The lock serializes edits of one collaborator's ranges, so that a test never gets two. */
export const addRanges = async (call: WriteCall, collaboratorId: number, ranges: readonly RangeInput[]) => {
  const { db } = call
  await lockRow(db, 'collaborator', collaboratorId, 'update')
  await getCollaborator(db, collaboratorId)
  const tests = await findTestsWithRange(
    db,
    collaboratorId,
    ranges.map(({ testId }) => testId),
  )
  const taken = new Set([...tests.values()].filter(({ rangeId }) => rangeId !== null).map(({ id }) => id))
  const ids: number[] = []
  for (const [index, range] of ranges.entries()) {
    const test = tests.get(range.testId)
    if (!test) throw invalid(`colaRanges.${index}.testId`, messages.invalid(rangeLabels.testId))
    if (taken.has(test.id)) throw conflict(rangeExistsMessage(test.code))
    taken.add(test.id)
    await requireUnit(db, collaboratorId, test, range.units, `colaRanges.${index}.units`)
    const { id } = await db
      .insertInto('collaborator_test_range')
      .values({ collaborator_id: collaboratorId, ...rangeColumns(range) })
      .returning('id')
      .executeTakeFirstOrThrow()
    ids.push(id)
    await audit(call, collaboratorId, id, { action: 'CREATE', new: await getRange(db, collaboratorId, id) })
  }
  return { id: ids[0] as number, ids }
}

export const updateRange = async (
  call: WriteCall,
  { id: collaboratorId, rangeId }: { id: number; rangeId: number },
  sent: RangeUpdate,
  expected: number | null,
): Promise<CollaboratorRange> => {
  const { db } = call
  await lockRow(db, 'collaborator', collaboratorId, 'update')
  await getCollaborator(db, collaboratorId)
  const before = await getRange(db, collaboratorId, rangeId)
  await requireVersion(db, 'collaborator_test_range', expected, before)
  const range = mergedRange(before, sent)
  const test = (await findTestsWithRange(db, collaboratorId, [range.testId])).get(range.testId)
  if (!test) throw invalid('testId', messages.invalid(rangeLabels.testId))
  if (test.rangeId !== null && test.rangeId !== rangeId) throw conflict(rangeExistsMessage(test.code))
  await requireUnit(db, collaboratorId, test, range.units)
  if (before.testId !== test.id) await requireCatalogueUnit(db, collaboratorId, before.testId)
  await db
    .updateTable('collaborator_test_range')
    .set({ ...rangeColumns(range), version: sql<number>`version + 1` })
    .where('id', '=', rangeId)
    .execute()
  const after = await getRange(db, collaboratorId, rangeId)
  await audit(call, collaboratorId, rangeId, { action: 'UPDATE', old: before, new: after })
  return after
}

/** The limits depend on each other, so they are checked as they will be stored. */
const mergedRange = (before: CollaboratorRange, sent: RangeUpdate): RangeInput => {
  const merged = rangeInput.safeParse(mergeUpdate<object>(before, sent))
  if (!merged.success) throw invalidInput(merged.error)
  return merged.data
}

export const removeRanges = async (call: WriteCall, collaboratorId: number, ids: readonly number[]) => {
  const { db } = call
  await lockRow(db, 'collaborator', collaboratorId, 'update')
  await getCollaborator(db, collaboratorId)
  for (const id of ids) {
    const before = await getRange(db, collaboratorId, id)
    await requireCatalogueUnit(db, collaboratorId, before.testId)
    await db
      .updateTable('collaborator_test_range')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute()
    await audit(call, collaboratorId, id, { action: 'DELETE', old: before })
  }
}

/** Results are stored without a unit, so existing ones would be read in the new unit. Undefined when there are none. */
export const unitFault = async (
  db: Db,
  collaboratorId: number,
  { id, code, unit, ownUnit }: TestWithRange,
  wanted: string | null,
): Promise<string | undefined> => {
  const [was, willBe] = [ownUnit ?? unit, wanted ?? unit]
  if (isSameUnit(was, willBe) || !(await hasNumericResult(db, collaboratorId, id))) return undefined
  return `${code} has results in ${was ?? 'no unit'} for this collaborator, which would be read in ${willBe ?? 'no unit'}`
}

const requireUnit = async (
  db: Db,
  collaboratorId: number,
  test: TestWithRange,
  wanted: string | null,
  field = 'units',
) => {
  const fault = await unitFault(db, collaboratorId, test, wanted)
  if (fault) throw invalid(field, fault)
}

/** Without the range, results are read in the unit of the catalogue. */
const requireCatalogueUnit = async (db: Db, collaboratorId: number, testId: number) => {
  const test = (await findTestsWithRange(db, collaboratorId, [testId])).get(testId)
  if (test) await requireUnit(db, collaboratorId, test, null)
}

export const rangeExistsMessage = (testCode: string) => `${testCode} already has a range for this collaborator`
