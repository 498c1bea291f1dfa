import { messages } from '@lis/contract/messages.ts'
import { defaultQcRules } from '@lis/contract/qc-rules.ts'
import { type QcActionInput, type QcRun, type QcRunInput, qcLabels, qcTopic } from '@lis/contract/quality-control.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { dayIn } from '../../platform/zones.ts'
import { lockControl, reevaluate } from './control.ts'
import { findRun } from './queries.ts'
import { requireTestOnInstrument, type TestOnInstrument } from './references.ts'
import { targetAt } from './setup.ts'

export const getRun = async (db: Db, id: number): Promise<QcRun> => {
  const found = await findRun(db, id)
  if (!found) throw notFound('Run')
  return found
}

const clockToleranceMs = 300_000

/** Enters a run, or adds levels to one with the same number, and evaluates it. */
export const createRun = async (call: WriteCall, input: QcRunInput): Promise<QcRun> => {
  const { db, actor, requestId } = call
  const of = await requireTestOnInstrument(db, input)
  requireNotInFuture('ranAt', input.ranAt)
  const control = await lockControl(db, of)
  const lots = await requireLots(db, input)
  const existing = await findRunByNumber(db, of, input.runNo)
  if (existing?.isVoid) throw conflict(`Run ${input.runNo} is void`)
  const levels = [...lots.map(({ level }) => level), ...(existing?.levels ?? [])]
  const twice = levels.find((level, index) => levels.indexOf(level) !== index)
  if (twice !== undefined) throw conflict(`Level ${twice} is in this run twice`)
  const run = existing ?? (await insertRun(call, of, input))
  await sql`insert into qc_value (run_id, lot_id, level, instrument_id, test_id, ran_at, value, mean, sd, state, is_parallel)
    select ${run.id}::bigint, n.lot_id, lot.level, n.instrument_id, n.test_id, n.ran_at, n.value, t.mean, t.sd, 'NOT_EVALUATED', lot.is_parallel
    from (select lot_id, value, ${of.instrumentId}::int as instrument_id, ${of.testId}::int as test_id, ${run.ranAt}::timestamptz as ran_at
      from unnest(${input.values.map(({ lotId }) => lotId)}::int[], ${input.values.map(({ value }) => value)}::numeric[]) as v(lot_id, value)) n
    join qc_lot lot on lot.id = n.lot_id left join lateral (${targetAt(sql`n`)}) t on true`.execute(db)
  await reevaluate(call, of, control, run)
  const stored = await getRun(db, run.id)
  await recordAudit(db, actor, requestId, {
    entity: 'qc_run',
    entityId: run.id,
    action: existing ? 'UPDATE' : 'CREATE',
    new: { ...input, state: stored.state, broken: stored.broken.map(({ rule }) => rule).join(', ') },
  })
  await publish(db, { topic: qcTopic, data: { run: 1 } })
  return stored
}

const requireNotInFuture = (field: 'ranAt' | 'doneAt', instant: string) => {
  if (Date.parse(instant) > Date.now() + clockToleranceMs) throw invalid(field, messages.dateInFuture)
}

/** A lot that has expired is refused, and so is one that does not exist. A lot may be used on its last day, in the zone of the laboratory. */
const requireLots = async (trx: Trx, { instrumentId, values, ranAt }: QcRunInput) => {
  const { zone } = await trx
    .selectFrom('instrument as i')
    .innerJoin('lab as l', 'l.id', 'i.lab_id')
    .select('l.zone')
    .where('i.id', '=', instrumentId)
    .executeTakeFirstOrThrow()
  const day = dayIn(zone, new Date(ranAt))
  const rows = await trx
    .selectFrom('qc_lot')
    .select(['id', 'level', 'lot_number as lotNumber', 'expires'])
    .where('id', '=', anyId(values.map(({ lotId }) => lotId)))
    .execute()
  return values.map(({ lotId }, index) => {
    const lot = rows.find(({ id }) => id === lotId)
    const field = `values.${index}.lotId`
    if (!lot) throw invalid(field, messages.invalid(qcLabels.lotId))
    if (lot.expires < day) throw invalid(field, `Lot ${lot.lotNumber} has expired`)
    return lot
  })
}

const findRunByNumber = async (trx: Trx, { instrumentId, testId }: TestOnInstrument, runNo: string | null) => {
  if (runNo === null) return undefined
  const { rows } = await sql<{ id: number; ranAt: string; isVoid: boolean; levels: number[] }>`
    select q.id, q.ran_at as "ranAt", q.is_void as "isVoid", array(select v.level from qc_value v where v.run_id = q.id) as levels
    from qc_run q where q.instrument_id = ${instrumentId} and q.test_id = ${testId} and q.run_no = ${runNo}`.execute(
    trx,
  )
  return rows[0]
}

const insertRun = async ({ db, actor }: WriteCall, { instrumentId, testId }: TestOnInstrument, input: QcRunInput) => {
  const plan = await db
    .selectFrom('qc_plan')
    .select('rules')
    .where('instrument_id', '=', instrumentId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  return db
    .insertInto('qc_run')
    .values({
      instrument_id: instrumentId,
      test_id: testId,
      run_no: input.runNo,
      ran_at: input.ranAt,
      operator: input.operator ?? actor.name,
      state: 'NOT_EVALUATED',
      rules: JSON.stringify(plan?.rules ?? defaultQcRules),
      created_by: actor.userId,
    })
    .returning(['id', 'ran_at as ranAt'])
    .executeTakeFirstOrThrow()
}

/** A void run stays visible but no longer counts. Results listed for review because of it stay listed. */
export const voidRun = async (call: WriteCall, id: number, reason: string): Promise<QcRun> => {
  const { db, actor, requestId } = call
  const run = await db
    .selectFrom('qc_run')
    .select(['instrument_id as instrumentId', 'test_id as testId', 'ran_at as ranAt', 'state'])
    .where('id', '=', bigint(id))
    .executeTakeFirst()
  if (!run) throw notFound('Run')
  await lockControl(db, run)
  if ((await getRun(db, id)).isVoid === 1) throw conflict('This run is void already')
  await db
    .updateTable('qc_run')
    .set({ is_void: true, void_reason: reason, voided_at: sql<string>`now()`, voided_by: actor.userId })
    .where('id', '=', id)
    .execute()
  await db.updateTable('qc_value').set({ is_void: true }).where('run_id', '=', id).execute()
  await reevaluate(call, run, null, { id, ranAt: run.ranAt })
  await recordAudit(db, actor, requestId, {
    entity: 'qc_run',
    entityId: id,
    action: 'VOID',
    reason,
    old: { state: run.state, isVoid: 0 },
    new: { isVoid: 1 },
  })
  await publish(db, { topic: qcTopic, data: { run: 1 } })
  return getRun(db, id)
}

/** Records a corrective action: the rules restart after it, and the next run in control ends the time out of control. */
export const createAction = async (call: WriteCall, input: QcActionInput): Promise<{ id: number }> => {
  const { db, actor, requestId } = call
  const of = await requireTestOnInstrument(db, input)
  requireNotInFuture('doneAt', input.doneAt)
  await lockControl(db, of)
  const { id } = await db
    .insertInto('qc_action')
    .values({
      instrument_id: of.instrumentId,
      test_id: of.testId,
      cause: input.cause,
      action: input.action,
      done_at: input.doneAt,
      recorded_by: actor.userId,
      recorded_by_name: actor.name,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, { entity: 'qc_action', entityId: id, action: 'CREATE', new: input })
  await reevaluate(call, of, null, { id: 0, ranAt: input.doneAt })
  await publish(db, { topic: qcTopic, data: { action: 1 } })
  return { id }
}
