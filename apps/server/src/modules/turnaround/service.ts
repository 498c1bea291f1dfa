import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import {
  type Calendar,
  type CalendarInput,
  type CalendarUpdate,
  calendarLabels,
  type Target,
  type TargetInput,
  type TargetUpdate,
  targetLabels,
} from '@lis/contract/turnaround.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { lockLab } from '../labs/queries.ts'
import { getLab } from '../labs/service.ts'
import { findCalendar, findNamed, findSameTarget, findTarget, storeCalendar, targetColumns } from './queries.ts'

/*
 * A change of a target or a calendar changes the due dates of everything that is not released yet, in the same transaction: the trigger
 * `turnaround_changed` (0120-turnaround-targets.sql).
 */

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'tat_target', entityId: id, ...record })

export const getTarget = async (db: Db, id: number): Promise<Target> => {
  const found = await findTarget(db, id)
  if (!found) throw notFound('Turnaround target')
  return found
}

export const createTarget = async (call: WriteCall, input: TargetInput): Promise<{ id: number }> => {
  await requireValid(call.db, input, 0)
  const { id } = await call.db
    .insertInto('tat_target')
    .values(targetColumns(input))
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(call, id, { action: 'CREATE', new: withoutDerived(await getTarget(call.db, id)) })
  return { id }
}

export const updateTarget = async (
  call: WriteCall,
  id: number,
  { version, ...sent }: TargetUpdate,
  expected: number | null,
): Promise<Target> => {
  const { db } = call
  await lockRow(db, 'tat_target', id, 'update')
  const before = await getTarget(db, id)
  await requireVersion(db, 'tat_target', expected ?? version ?? null, before)
  const input = mergeUpdate<TargetInput>(before, sent)
  await requireValid(db, input, id)
  await db
    .updateTable('tat_target')
    .set({ ...targetColumns(input), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  const after = await getTarget(db, id)
  await audit(call, id, { action: 'UPDATE', old: withoutDerived(before), new: withoutDerived(after) })
  return after
}

export const removeTarget = async (call: WriteCall, id: number) => {
  const { db } = call
  await lockRow(db, 'tat_target', id, 'delete')
  const before = await getTarget(db, id)
  await db
    .updateTable('tat_target')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await audit(call, id, { action: 'DELETE', old: withoutDerived(before) })
}

const requireValid = async (trx: Trx, input: TargetInput, id: number) => {
  if (input.testId !== null && input.panelId !== null)
    throw invalid('panelId', `A target is for a ${targetLabels.testId} or a ${targetLabels.panelId}, not for both`)
  const exists = await findNamed(trx, input)
  for (const field of ['labId', 'testId', 'panelId'] as const)
    if (input[field] !== null && !exists[field]) throw invalid(field, messages.invalid(targetLabels[field]))
  if (await findSameTarget(trx, input, id)) throw conflict('A target for this already exists. Edit that one.')
}

export const withoutDerived = ({
  id: _,
  version: __,
  labName: ___,
  testCode: ____,
  panelCode: _____,
  ...kept
}: Target) => kept

export const getCalendar = async (db: Db, labId: number): Promise<Calendar> => {
  await getLab(db, labId)
  return findCalendar(db, labId)
}

export const updateCalendar = async (
  call: WriteCall,
  labId: number,
  { version, ...sent }: CalendarUpdate,
  expected: number | null,
): Promise<Calendar> => {
  const { db, actor, requestId } = call
  await lockLab(db, labId)
  const before = await getCalendar(db, labId)
  await requireVersion(db, 'lab_calendar', expected ?? version ?? null, before)
  const input = mergeUpdate<CalendarInput>(before, sent)
  if (input.closes <= input.opens)
    throw invalid('closes', `${calendarLabels.closes} must be after ${calendarLabels.opens}`)
  await storeCalendar(db, labId, input)
  const after = await findCalendar(db, labId)
  const kept = ({ id: _, version: __, ...rest }: Calendar) => rest
  await recordAudit(db, actor, requestId, {
    entity: 'lab_calendar',
    entityId: labId,
    action: 'UPDATE',
    old: kept(before),
    new: kept(after),
  })
  return after
}
