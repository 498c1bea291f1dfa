import {
  type AutoverifyRuleInput,
  type AutoverifyRuleRecord,
  type AutoverifyRuleUpdate,
  autoverifyLabels,
  type SwitchInput,
} from '@lis/contract/autoverification.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { compare, decimalOf } from '@lis/contract/results/decimal.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { rowsAsOf } from '../../platform/db/rows-as-of.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import { endOfHomeDay, type OneOrDay } from '../../platform/home-zone.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { ruleColumns } from './rules.ts'
import { auditRule, inputOf, removeLockedRule, switchLockedRule } from './switchable-rule.ts'

export const listRules = async (db: Db, { id = null, asOf }: OneOrDay = {}): Promise<AutoverifyRuleRecord[]> => {
  const { rows } = await sql<AutoverifyRuleRecord>`
    select ${ruleColumns}, a.version, t.code as "testCode", ${flag01(sql`a.is_active`)} as "isActive"
    from ${rowsAsOf('autoverify_rule', 'a', endOfHomeDay(asOf))} join test t on t.id = a.test_id
    where a.deleted_at is null and (${id}::bigint is null or a.id = ${id}::bigint) order by t.code, a.id`.execute(db)
  return rows
}

export const getRule = async (db: Db, id: number): Promise<AutoverifyRuleRecord> => {
  const [found] = await listRules(db, { id })
  if (!found) throw notFound('Rule')
  return found
}

export const createRule = async (call: WriteCall, input: AutoverifyRuleInput): Promise<{ id: number }> => {
  const columns = await requireColumns(call.db, input, null)
  const { id } = await call.db.insertInto('autoverify_rule').values(columns).returning('id').executeTakeFirstOrThrow()
  await keepVersion(call, id)
  await auditRule(call, 'autoverify_rule', id, { action: 'CREATE', new: input })
  return { id }
}

/** A change is a new version, and off until somebody switches it on. */
export const updateRule = async (
  call: WriteCall,
  id: number,
  sent: AutoverifyRuleUpdate,
  expected: number | null,
): Promise<AutoverifyRuleRecord> => {
  const { db } = call
  const before = await lockRule(db, id)
  await requireVersion(db, 'autoverify_rule', expected, before)
  const columns = await requireColumns(db, mergeUpdate<AutoverifyRuleInput>(inputOf(before), sent), id)
  await db
    .updateTable('autoverify_rule')
    .set({
      ...columns,
      is_active: false,
      version: sql<number>`version + 1`,
      rule_version: sql<number>`rule_version + 1`,
    })
    .where('id', '=', id)
    .execute()
  await keepVersion(call, id)
  const after = await getRule(db, id)
  await auditRule(call, 'autoverify_rule', id, { action: 'UPDATE', old: before, new: after })
  return after
}

export const removeRule = async (call: WriteCall, id: number) => {
  const before = await lockRule(call.db, id)
  await removeLockedRule(call, 'autoverify_rule', id, before)
}

export const switchRule = async (call: WriteCall, id: number, input: SwitchInput): Promise<AutoverifyRuleRecord> => {
  const before = await lockRule(call.db, id)
  const wasActive = sql<boolean>`was_active or ${input.isActive === 1}`
  await switchLockedRule(call, 'autoverify_rule', before, input, { was_active: wasActive })
  return getRule(call.db, id)
}

const lockRule = async (trx: Trx, id: number): Promise<AutoverifyRuleRecord> => {
  await lockRow(trx, 'autoverify_rule', id, 'update')
  return getRule(trx, id)
}

/** What the rule said in each version stays readable. */
const keepVersion = async ({ db, actor }: WriteCall, id: number) => {
  const rule = await getRule(db, id)
  await db
    .insertInto('autoverify_rule_version')
    .values({
      rule_id: id,
      rule_version: rule.ruleVersion,
      content: JSON.stringify(inputOf(rule)),
      created_by: actor.userId,
    })
    .execute()
}

const requireColumns = async (trx: Trx, input: AutoverifyRuleInput, id: number | null) => {
  const { low, high, deltaLimit, deltaKind } = input
  const test = await trx
    .selectFrom('test')
    .select('id')
    .where('code', '=', input.testCode)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!test) throw invalid('testCode', messages.invalid(autoverifyLabels.testCode))
  await requireExisting(trx, 'lab', 'labId', input.labId)
  await requireExisting(trx, 'collaborator', 'colaId', input.colaId)
  await requireExisting(trx, 'instrument', 'instrumentId', input.instrumentId)
  if (low !== null && high !== null && compare(decimalOf(low), decimalOf(high)) > 0)
    throw invalid('high', 'High cannot be below Low')
  if (deltaLimit !== null && deltaKind === null)
    throw invalid('deltaKind', messages.required(autoverifyLabels.deltaKind))
  const { rows } =
    await sql`select from autoverify_rule a where a.test_id = ${test.id} and a.lab_id is not distinct from ${input.labId}::int
    and a.collaborator_id is not distinct from ${input.colaId}::int and a.instrument_id is not distinct from ${input.instrumentId}::int
    and a.deleted_at is null and a.id is distinct from ${id}::int`.execute(trx)
  if (rows.length > 0) throw conflict(`A rule for ${input.testCode} with this scope already exists`)
  return {
    test_id: test.id,
    lab_id: input.labId,
    collaborator_id: input.colaId,
    instrument_id: input.instrumentId,
    low,
    high,
    delta_limit: deltaLimit,
    delta_kind: deltaLimit === null ? null : deltaKind,
    delta_days: input.deltaDays,
    max_specimen_hours: input.maxSpecimenHours,
  }
}

const requireExisting = async (
  trx: Trx,
  table: 'lab' | 'collaborator' | 'instrument',
  field: 'labId' | 'colaId' | 'instrumentId',
  id: number | null,
) => {
  if (id === null) return
  const { rows } = await sql`select from ${sql.table(table)} where id = ${id}::bigint and deleted_at is null`.execute(
    trx,
  )
  if (rows.length === 0) throw invalid(field, messages.invalid(autoverifyLabels[field]))
}

// ── the one switch ──────────────────────────────────────────────────────────────────────────────────────────────────

interface SwitchState {
  isStopped: 0 | 1
  since: string | null
  byName: string | null
  reason: string | null
}

export const getState = async (db: Db): Promise<SwitchState> => {
  const { rows } = await sql<SwitchState>`
    select ${flag01(sql`is_stopped`)} as "isStopped", since, by_name as "byName", reason from autoverify_switch`.execute(
    db,
  )
  return rows[0] as SwitchState
}

/** Stops or starts all autoverification, after waiting for verifications in progress. */
export const setStopped = async (call: WriteCall, isStopped: boolean, reason: string): Promise<SwitchState> => {
  const { db, actor, requestId } = call
  await sql`select from autoverify_switch for update`.execute(db)
  const before = await getState(db)
  if (before.isStopped === (isStopped ? 1 : 0)) return before
  await sql`update autoverify_switch set is_stopped = ${isStopped}, since = now(), by_user = ${actor.userId}::int, by_name = ${actor.name}, reason = ${reason}`.execute(
    db,
  )
  const after = await getState(db)
  await recordAudit(db, actor, requestId, {
    entity: 'autoverify_switch',
    entityId: 1,
    action: isStopped ? 'STOP' : 'START',
    reason,
    old: { isStopped: before.isStopped },
    new: { isStopped: after.isStopped },
  })
  await publish(db, { topic: 'review', data: { changed: 1 } })
  return after
}
