import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { messages } from '@lis/contract/messages.ts'
import {
  minRunsOfTarget,
  type QcLot,
  type QcLotInput,
  type QcLotUpdate,
  type QcMaterialInput,
  type QcPlanInput,
  type QcTargetInput,
  qcLabels,
} from '@lis/contract/quality-control.ts'
import { sql } from 'kysely'
import { DateTime } from 'luxon'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { lockControl, reevaluate } from './control.ts'
import { listLots, listPlans } from './queries.ts'
import { requireTestOnInstrument, type TestOnInstrument } from './references.ts'

export const createMaterial = async (call: WriteCall, { name, maker }: QcMaterialInput): Promise<{ id: number }> => {
  const { db, actor, requestId } = call
  const { id } = await db.insertInto('qc_material').values({ name, maker }).returning('id').executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, {
    entity: 'qc_material',
    entityId: id,
    action: 'CREATE',
    new: { name, maker },
  })
  return { id }
}

export const createLot = async (call: WriteCall, input: QcLotInput): Promise<{ id: number }> => {
  const { db, actor, requestId } = call
  const material = await db
    .selectFrom('qc_material')
    .select('id')
    .where('id', '=', bigint(input.materialId))
    .executeTakeFirst()
  if (!material) throw invalid('materialId', messages.invalid(qcLabels.materialId))
  requireOpenedBeforeExpiry(input)
  const { id } = await db
    .insertInto('qc_lot')
    .values({
      material_id: input.materialId,
      level: input.level,
      lot_number: input.lotNumber,
      opened: input.opened,
      expires: input.expires,
      is_parallel: input.isParallel === 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, { entity: 'qc_lot', entityId: id, action: 'CREATE', new: input })
  return { id }
}

const requireOpenedBeforeExpiry = ({ opened, expires }: Pick<QcLotInput, 'opened' | 'expires'>) => {
  if (opened !== null && opened > expires)
    throw invalid('expires', `${qcLabels.expires} cannot be before ${qcLabels.opened}`)
}

/** Values keep whether their lot was parallel when they were measured: a lot that takes over changes nothing in the past. */
export const updateLot = async (
  call: WriteCall,
  id: number,
  sent: QcLotUpdate,
  expected: number | null,
): Promise<QcLot> => {
  const { db, actor, requestId } = call
  await db.selectFrom('qc_lot').select('id').where('id', '=', bigint(id)).forUpdate().execute()
  const before = await getLot(db, id)
  await requireVersion(db, 'qc_lot', expected, before)
  const now = {
    opened: sent.opened === undefined ? before.opened : sent.opened,
    expires: sent.expires ?? before.expires,
    isParallel: sent.isParallel ?? before.isParallel,
  }
  requireOpenedBeforeExpiry(now)
  await db
    .updateTable('qc_lot')
    .set({
      opened: now.opened,
      expires: now.expires,
      is_parallel: now.isParallel === 1,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
  const { opened, expires, isParallel } = before
  await recordAudit(db, actor, requestId, {
    entity: 'qc_lot',
    entityId: id,
    action: 'UPDATE',
    old: { opened, expires, isParallel },
    new: now,
  })
  return getLot(db, id)
}

const getLot = async (db: Db, id: number): Promise<QcLot> => {
  const [found] = await listLots(db, id)
  if (!found) throw notFound('Lot')
  return found
}

/** Puts a target in force; runs since then are evaluated again. */
export const createTarget = async (call: WriteCall, asked: QcTargetInput): Promise<{ id: number }> => {
  const { db, actor, requestId } = call
  const of = await requireTestOnInstrument(db, asked)
  const input = await withInstants(db, asked)
  const lot = await db.selectFrom('qc_lot').select('id').where('id', '=', bigint(input.lotId)).executeTakeFirst()
  if (!lot) throw invalid('lotId', messages.invalid(qcLabels.lotId))
  const control = await lockControl(db, of)
  const { id } = await db
    .insertInto('qc_target')
    .values({
      lot_id: input.lotId,
      test_id: of.testId,
      instrument_id: of.instrumentId,
      mean: input.mean,
      sd: input.sd,
      source: input.source,
      valid_from: input.validFrom,
      valid_to: input.validTo,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, { entity: 'qc_target', entityId: id, action: 'CREATE', new: input })
  const first = await applyTargets(db, of, input)
  if (first) await reevaluate(call, of, control, first)
  return { id }
}

/** A day begins and ends by the clock of the instrument's laboratory. */
const withInstants = async (db: Db, input: QcTargetInput): Promise<QcTargetInput> => {
  const { validFrom, validTo, instrumentId } = input
  const { zone } = await db
    .selectFrom('instrument as i')
    .innerJoin('lab as l', 'l.id', 'i.lab_id')
    .select('l.zone')
    .where('i.id', '=', bigint(instrumentId))
    .executeTakeFirstOrThrow()
  const startOf = (day: string, days: number) =>
    DateTime.fromISO(day, { zone }).plus({ days }).toUTC().toISO() as string
  return {
    ...input,
    validFrom: isIsoDate(validFrom) ? startOf(validFrom, 0) : validFrom,
    validTo: validTo !== null && isIsoDate(validTo) ? startOf(validTo, 1) : validTo,
  }
}

/** Applies the mean and SD in force to the values since the beginning of a target; returns the first run that changed. */
const applyTargets = async (
  trx: Trx,
  { instrumentId, testId }: TestOnInstrument,
  { lotId, validFrom }: QcTargetInput,
) => {
  const { rows } = await sql<{ id: number; ranAt: string }>`
    with changed as (
      update qc_value v set mean = t.mean, sd = t.sd
      from qc_value x left join lateral (${targetAt(sql`x`)}) t on true
      where x.id = v.id and v.instrument_id = ${instrumentId} and v.test_id = ${testId} and v.lot_id = ${lotId}
        and v.ran_at >= ${validFrom}::timestamptz and (v.mean, v.sd) is distinct from (t.mean, t.sd)
      returning v.run_id, v.ran_at)
    select run_id as id, ran_at as "ranAt" from changed order by ran_at, run_id limit 1`.execute(trx)
  return rows[0]
}

/** Mean and SD in force for a value with lot, test, instrument and time. */
export const targetAt = (value: ReturnType<typeof sql>) => sql`select t.mean, t.sd from qc_target t
  where t.lot_id = ${value}.lot_id and t.test_id = ${value}.test_id and t.instrument_id = ${value}.instrument_id
    and t.valid_from <= ${value}.ran_at and (t.valid_to is null or t.valid_to > ${value}.ran_at)
  order by t.valid_from desc, t.id desc limit 1`

export const proposeTarget = async (
  db: Db,
  { lotId, testCode, instrumentId }: { lotId: number; testCode: string; instrumentId: number },
) => {
  const of = await requireTestOnInstrument(db, { instrumentId, testCode })
  const { rows } = await sql<{ n: number; mean: string | null; sd: string | null; cv: string | null }>`
    select count(*)::int as n, round(avg(value), 6)::text as mean, round(stddev_samp(value), 6)::text as sd,
      round(100 * stddev_samp(value) / nullif(abs(avg(value)), 0), 6)::text as cv
    from qc_value where instrument_id = ${of.instrumentId} and test_id = ${of.testId} and lot_id = ${lotId}::bigint and not is_void`.execute(
    db,
  )
  const found = rows[0] ?? { n: 0, mean: null, sd: null, cv: null }
  return { ...found, isReady: found.n >= minRunsOfTarget ? (1 as const) : (0 as const) }
}

/** Applies to runs entered from now on. */
export const savePlan = async (call: WriteCall, input: QcPlanInput, expected: number | null) => {
  const { db, actor, requestId } = call
  const { instrumentId, testId } = await requireTestOnInstrument(db, input)
  await lockControl(db, { instrumentId, testId })
  const [before] = await listPlans(db, input)
  if (before) await requireVersion(db, 'qc_plan', expected, before)
  const columns = {
    rules: JSON.stringify(input.rules),
    every_hours: input.everyHours,
    every_results: input.everyResults,
    allowed_error_pct: input.allowedErrorPct,
  }
  const { id } = await db
    .insertInto('qc_plan')
    .values({ instrument_id: instrumentId, test_id: testId, ...columns })
    .onConflict((oc) =>
      oc.columns(['instrument_id', 'test_id']).doUpdateSet({ ...columns, version: sql<number>`qc_plan.version + 1` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  const [after] = await listPlans(db, input)
  await recordAudit(db, actor, requestId, {
    entity: 'qc_plan',
    entityId: id,
    action: before ? 'UPDATE' : 'CREATE',
    ...(before && { old: { ...before } }),
    new: input,
  })
  return after as NonNullable<typeof after>
}
