import {
  type CriticalAttemptInput,
  type CriticalCall,
  type CriticalLimit,
  type CriticalLimitInput,
  type CriticalLimitUpdate,
  criticalLabels,
  criticalTopic,
} from '@lis/contract/critical-calls.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { compare, decimalOf } from '@lis/contract/results/decimal.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { isSameValue } from './critical.ts'
import { findCall, listLimits } from './queries.ts'

// ── limits ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const getLimit = async (db: Db, id: number): Promise<CriticalLimit> => {
  const [found] = await listLimits(db, { id })
  if (!found) throw notFound('Critical limit')
  return found
}

const auditLimit = ({ db, actor, requestId }: WriteCall, entityId: number, action: string, values: object) =>
  recordAudit(db, actor, requestId, { entity: 'critical_limit', entityId, action, ...values })

export const createLimit = async (call: WriteCall, input: CriticalLimitInput): Promise<{ id: number }> => {
  const columns = await requireColumns(call.db, input)
  const { id } = await call.db.insertInto('critical_limit').values(columns).returning('id').executeTakeFirstOrThrow()
  await auditLimit(call, id, 'CREATE', { new: input })
  return { id }
}

export const updateLimit = async (
  call: WriteCall,
  id: number,
  sent: CriticalLimitUpdate,
  expected: number | null,
): Promise<CriticalLimit> => {
  const { db } = call
  await lockLimit(db, id)
  const before = await getLimit(db, id)
  await requireVersion(db, 'critical_limit', expected, before)
  const columns = await requireColumns(db, mergeUpdate<CriticalLimitInput>(before, sent))
  await db
    .updateTable('critical_limit')
    .set({ ...columns, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  const after = await getLimit(db, id)
  await auditLimit(call, id, 'UPDATE', { old: { ...before }, new: { ...after } })
  return after
}

export const removeLimit = async (call: WriteCall, id: number) => {
  await lockLimit(call.db, id)
  const before = await getLimit(call.db, id)
  await call.db
    .updateTable('critical_limit')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await auditLimit(call, id, 'DELETE', { old: { ...before } })
}

const lockLimit = (trx: Trx, id: number) =>
  trx.selectFrom('critical_limit').select('id').where('id', '=', bigint(id)).forUpdate().execute()

const requireColumns = async (trx: Trx, input: CriticalLimitInput) => {
  const { testCode, colaId, lo, hi, ageFrom, ageTo } = input
  const test = await trx
    .selectFrom('test')
    .select('id')
    .where('code', '=', testCode)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!test) throw invalid('testCode', messages.invalid(criticalLabels.testCode))
  if (colaId !== null) {
    const found = await trx
      .selectFrom('collaborator')
      .select('id')
      .where('id', '=', bigint(colaId))
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!found) throw invalid('colaId', messages.invalid(criticalLabels.colaId))
  }
  if (lo === null && hi === null) throw invalid('lo', 'Low or High is required')
  if (lo !== null && hi !== null && compare(decimalOf(lo), decimalOf(hi)) >= 0)
    throw invalid('hi', 'High must be above Low')
  if (ageFrom !== null && ageTo !== null && ageFrom > ageTo) throw invalid('ageTo', 'Age To cannot be below Age From')
  return {
    test_id: test.id,
    sex_code: input.sexCode,
    age_from: ageFrom,
    age_to: ageTo,
    collaborator_id: colaId,
    lo,
    hi,
    call_minutes: input.callMinutes,
  }
}

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const getCall = async (db: Db, id: number): Promise<CriticalCall> => {
  const found = await findCall(db, id)
  if (!found) throw notFound('Critical call')
  return found
}

const lockOpenCall = async ({ db }: WriteCall, id: number): Promise<CriticalCall> => {
  const row = await db
    .selectFrom('critical_call')
    .select('state')
    .where('id', '=', bigint(id))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('Critical call')
  if (row.state === 'CLOSED') throw conflict('This call is closed already')
  if (row.state === 'SUPERSEDED')
    throw conflict('The value has been corrected: another call has taken the place of this one')
  return getCall(db, id)
}

const isTakenByOther = ({ takenById }: CriticalCall, { actor }: WriteCall) =>
  takenById !== null && takenById !== actor.userId

/** Locks an open call that nobody else has taken. */
const lockOwnCall = async (call: WriteCall, id: number): Promise<CriticalCall> => {
  const before = await lockOpenCall(call, id)
  if (isTakenByOther(before, call)) throw conflict(`${before.takenByName} is calling: take the call over first`)
  return before
}

const setCall = async (
  call: WriteCall,
  before: CriticalCall,
  columns: object,
  record: { new: object; reason?: string },
) => {
  const { db, actor, requestId } = call
  await db
    .updateTable('critical_call')
    .set({ ...columns, version: sql<number>`version + 1` })
    .where('id', '=', before.id)
    .execute()
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: before.reqId,
    requisitionId: before.reqId,
    action: 'CRITICAL',
    ...record,
    new: { ...record.new },
  })
  await publish(db, { topic: criticalTopic, data: { changed: 1 } })
}

const taken = ({ actor }: WriteCall) => ({
  state: 'TAKEN',
  taken_by: actor.userId,
  taken_at: sql<string>`coalesce(taken_at, now())`,
})

/** A call is taken by one person. Another person takes it over with a reason, so that it does not wait for an absent colleague. */
export const takeCall = async (call: WriteCall, id: number, reason: string | null): Promise<CriticalCall> => {
  const before = await lockOpenCall(call, id)
  const isOther = isTakenByOther(before, call)
  if (before.state === 'TAKEN' && !isOther) return before
  if (isOther && reason === null)
    throw conflict(`${before.takenByName} is calling: only with a reason can you take the call over`)
  const how = isOther ? `Taken over by ${call.actor.name} from ${before.takenByName}` : `Taken by ${call.actor.name}`
  await setCall(
    call,
    before,
    { ...taken(call), taken_at: sql<string>`now()` },
    { new: { [`${before.testCode} critical call`]: how }, ...(reason !== null && { reason }) },
  )
  return getCall(call.db, id)
}

const outcomeText = { REACHED: 'Reached', NOANSWER: 'No answer', MESSAGE: 'Message left, does not count' }

/** Records an attempt. Only a value that was read back and is the same number closes the call. */
export const addAttempt = async (call: WriteCall, id: number, input: CriticalAttemptInput) => {
  const { db, actor } = call
  const before = await lockOwnCall(call, id)
  const { outcome, calledTo, role, phone, note, readBack } = input
  const calledAt = input.calledAt ?? new Date().toISOString()
  if (Date.parse(calledAt) > Date.now() + clockToleranceMs) throw invalid('calledAt', messages.dateInFuture)
  const isReadBackOk = outcome === 'REACHED' && readBack !== null ? isSameValue(readBack, before.value) : null
  await db
    .insertInto('critical_attempt')
    .values({
      call_id: id,
      outcome,
      called_to: calledTo,
      role,
      phone,
      called_at: calledAt,
      read_back: readBack,
      is_read_back_ok: isReadBackOk,
      note,
      created_by: actor.userId,
      created_by_name: actor.name,
    })
    .execute()
  const what = isReadBackOk
    ? `Called to ${calledTo}, read back`
    : isReadBackOk === false
      ? `${calledTo} read back ${readBack}: to be called again`
      : [outcomeText[outcome], calledTo].filter(Boolean).join(': ')
  const closed = { ...taken(call), state: 'CLOSED', closed_by: actor.userId, closed_at: sql<string>`now()` }
  await setCall(call, before, isReadBackOk ? closed : {}, {
    new: { [`${before.testCode} ${before.value} critical call`]: what },
    ...(note && { reason: note }),
  })
  const after = await getCall(db, id)
  return { ...after, readBackOk: isReadBackOk === null ? null : isReadBackOk ? (1 as const) : (0 as const) }
}

const clockToleranceMs = 300_000

/** Without a read-back; the reason is kept. */
export const closeCall = async (call: WriteCall, id: number, reason: string): Promise<CriticalCall> => {
  const before = await lockOwnCall(call, id)
  await setCall(
    call,
    before,
    { state: 'CLOSED', closed_by: call.actor.userId, closed_at: sql<string>`now()`, close_reason: reason },
    { new: { [`${before.testCode} ${before.value} critical call`]: 'Closed without a read-back' }, reason },
  )
  return getCall(call.db, id)
}
