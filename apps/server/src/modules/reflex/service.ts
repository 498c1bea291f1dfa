import type { SwitchInput } from '@lis/contract/autoverification.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import {
  isComparable,
  type ReflexRule,
  type ReflexRuleInput,
  type ReflexRuleUpdate,
  reflexLabels,
} from '@lis/contract/reflex.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyText, bigint, flag01 } from '../../platform/db/expressions.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { rowsAsOf } from '../../platform/db/rows-as-of.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { endOfHomeDay, type OneOrDay } from '../../platform/home-zone.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { auditRule, inputOf, removeLockedRule, switchLockedRule } from '../autoverification/switchable-rule.ts'
import { hasCycle } from './condition.ts'

export const listRules = async (db: Db, { id = null, asOf }: OneOrDay = {}): Promise<ReflexRule[]> => {
  const { rows } = await sql<ReflexRule>`
    select a.id, a.version, t.code as "testCode", a.op, a.value, a.max_specimen_hours as "maxSpecimenHours", ${flag01(sql`a.is_active`)} as "isActive",
      a.rule_version as "ruleVersion",
      array(select x.code from ${rowsAsOf('reflex_rule_test', 'y', endOfHomeDay(asOf))} join test x on x.id = y.test_id where y.rule_id = a.id order by x.sort_order, x.code) as "addTestCodes",
      array(select x.code from ${rowsAsOf('reflex_rule_test', 'y', endOfHomeDay(asOf))} join panel x on x.id = y.panel_id where y.rule_id = a.id order by x.sort_order, x.code) as "addPanelCodes"
    from ${rowsAsOf('reflex_rule', 'a', endOfHomeDay(asOf))} join test t on t.id = a.test_id
    where a.deleted_at is null and (${id}::bigint is null or a.id = ${id}::bigint) order by t.code, a.id`.execute(db)
  return rows
}

export const getRule = async (db: Db, id: number): Promise<ReflexRule> => {
  const [found] = await listRules(db, { id })
  if (!found) throw notFound('Rule')
  return found
}

/** By field name, because the audit has no lists. */
const inWords = ({ addTestCodes, addPanelCodes, ...rest }: ReflexRuleInput | ReflexRule) => ({
  ...rest,
  addTestCodes: addTestCodes.join(', '),
  addPanelCodes: addPanelCodes.join(', '),
})

export const createRule = async (call: WriteCall, input: ReflexRuleInput): Promise<{ id: number }> => {
  const resolved = await resolveInput(call.db, input)
  const { id } = await call.db
    .insertInto('reflex_rule')
    .values(resolved.columns)
    .returning('id')
    .executeTakeFirstOrThrow()
  await saveAdded(call.db, id, resolved)
  await requireNoCycle(call.db)
  await auditRule(call, 'reflex_rule', id, { action: 'CREATE', new: inWords(input) })
  return { id }
}

export const updateRule = async (
  call: WriteCall,
  id: number,
  sent: ReflexRuleUpdate,
  expected: number | null,
): Promise<ReflexRule> => {
  const { db } = call
  const before = await lockRule(db, id)
  await requireVersion(db, 'reflex_rule', expected, before)
  const resolved = await resolveInput(db, mergeUpdate<ReflexRuleInput>(inputOf(before), sent))
  await db
    .updateTable('reflex_rule')
    .set({
      ...resolved.columns,
      is_active: false,
      version: sql<number>`version + 1`,
      rule_version: sql<number>`rule_version + 1`,
    })
    .where('id', '=', id)
    .execute()
  await saveAdded(db, id, resolved)
  await requireNoCycle(db)
  const after = await getRule(db, id)
  await auditRule(call, 'reflex_rule', id, { action: 'UPDATE', old: inWords(before), new: inWords(after) })
  return after
}

export const removeRule = async (call: WriteCall, id: number) => {
  const before = await lockRule(call.db, id)
  await removeLockedRule(call, 'reflex_rule', id, inWords(before))
}

export const switchRule = async (call: WriteCall, id: number, input: SwitchInput): Promise<ReflexRule> => {
  await switchLockedRule(call, 'reflex_rule', await lockRule(call.db, id), input)
  return getRule(call.db, id)
}

const lockRule = async (trx: Trx, id: number): Promise<ReflexRule> => {
  await lockRow(trx, 'reflex_rule', id, 'update')
  return getRule(trx, id)
}

const resolveInput = async (trx: Trx, input: ReflexRuleInput) => {
  if (!isComparable(input)) throw invalid('value', `${reflexLabels.value} must be a number`)
  if (input.addTestCodes.length + input.addPanelCodes.length === 0)
    throw invalid('addTestCodes', messages.required(reflexLabels.addTestCodes))
  const find = (table: 'test' | 'panel', codes: readonly string[]) =>
    trx
      .selectFrom(table)
      .select(['id', 'code'])
      .where('code', '=', anyText(codes))
      .where('deleted_at', 'is', null)
      .execute()
  const [test] = await find('test', [input.testCode])
  if (!test) throw invalid('testCode', messages.invalid(reflexLabels.testCode))
  const tests = await find('test', input.addTestCodes)
  if (tests.length < input.addTestCodes.length)
    throw invalid('addTestCodes', messages.invalid(reflexLabels.addTestCodes))
  const panels = await find('panel', input.addPanelCodes)
  if (panels.length < input.addPanelCodes.length)
    throw invalid('addPanelCodes', messages.invalid(reflexLabels.addPanelCodes))
  return {
    columns: { test_id: test.id, op: input.op, value: input.value, max_specimen_hours: input.maxSpecimenHours },
    testIds: tests.map(({ id }) => id),
    panelIds: panels.map(({ id }) => id),
  }
}

const saveAdded = async (trx: Trx, id: number, { testIds, panelIds }: { testIds: number[]; panelIds: number[] }) => {
  await trx.deleteFrom('reflex_rule_test').where('rule_id', '=', id).execute()
  await sql`insert into reflex_rule_test (rule_id, test_id, panel_id)
    select ${id}::int, x, null from unnest(${testIds}::int[]) x union all select ${id}::int, null, x from unnest(${panelIds}::int[]) x`.execute(
    trx,
  )
}

/** Serializes saves of rules, so that two users cannot create a cycle together. */
const requireNoCycle = async (trx: Trx) => {
  await sql`select pg_advisory_xact_lock(hashtext('reflex-rules'))`.execute(trx)
  const { rows } = await sql<{ from: number; to: number }>`
    select a.test_id as "from", coalesce(y.test_id, pt.test_id) as "to" from reflex_rule a join reflex_rule_test y on y.rule_id = a.id
    left join panel_test pt on pt.panel_id = y.panel_id
    where a.deleted_at is null and coalesce(y.test_id, pt.test_id) is not null`.execute(trx)
  if (hasCycle(rows)) throw invalid('addTestCodes', 'These rules would trigger each other in a cycle')
}

// ── what a client agrees to ─────────────────────────────────────────────────────────────────────────────────────────

export const getAgreed = async (db: Db, clientId: number): Promise<{ ruleIds: number[] }> => {
  const client = await db
    .selectFrom('client')
    .select('id')
    .where('id', '=', bigint(clientId))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!client) throw notFound('Client')
  const rows = await db
    .selectFrom('client_reflex_rule as c')
    .innerJoin('reflex_rule as r', 'r.id', 'c.rule_id')
    .select('r.id')
    .where('c.client_id', '=', clientId)
    .where('r.deleted_at', 'is', null)
    .orderBy('r.id')
    .execute()
  return { ruleIds: rows.map(({ id }) => id) }
}

export const saveAgreed = async (call: WriteCall, clientId: number, ruleIds: readonly number[]) => {
  const { db, actor, requestId } = call
  await db.selectFrom('client').select('id').where('id', '=', bigint(clientId)).forUpdate().execute()
  const before = await getAgreed(db, clientId)
  const known = new Set((await listRules(db)).map(({ id }) => id))
  if (ruleIds.some((id) => !known.has(id))) throw invalid('ruleIds', messages.invalid(reflexLabels.ruleIds))
  await db.deleteFrom('client_reflex_rule').where('client_id', '=', clientId).execute()
  await sql`insert into client_reflex_rule (client_id, rule_id) select ${clientId}::int, unnest(${[...ruleIds]}::int[])`.execute(
    db,
  )
  await recordAudit(db, actor, requestId, {
    entity: 'client',
    entityId: clientId,
    clientId,
    action: 'REFLEX',
    old: { ruleIds: before.ruleIds.join(', ') },
    new: { ruleIds: ruleIds.join(', ') },
  })
  return getAgreed(db, clientId)
}
