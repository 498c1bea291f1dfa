import type { InstrumentCode, InstrumentControl } from '@lis/contract/instrument-results.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { anyId, anyText } from '../../platform/db/expressions.ts'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { getInstrument } from '../instrument-records/service.ts'
import { instrumentActor } from './actor.ts'
import { listHeld, placeAgain } from './place.ts'

export const listCodes = async (db: Db, instrumentId: number): Promise<InstrumentCode[]> => {
  await getInstrument(db, instrumentId)
  const { rows } = await sql<InstrumentCode>`
    select c.instrument_code as "instrumentCode", t.code as "testCode", c.units, c.decimals
    from instrument_code c join test t on t.id = c.test_id where c.instrument_id = ${instrumentId} order by c.position`.execute(
    db,
  )
  return rows
}

/** Replaces the whole table; results held for a code or a unit are placed again. */
export const saveCodes = async (
  call: WriteCall,
  id: number,
  codes: readonly InstrumentCode[],
): Promise<InstrumentCode[]> => {
  const { db } = call
  await lockTables(call, id)
  const before = await listCodes(db, id)
  const tests = await db
    .selectFrom('test')
    .select(['id', 'code'])
    .where('code', '=', anyText(codes.map(({ testCode }) => testCode)))
    .where('deleted_at', 'is', null)
    .execute()
  const idOf = new Map(tests.map((test) => [test.code, test.id]))
  const rows = codes.map((row, position) => {
    const testId = idOf.get(row.testCode)
    if (testId === undefined) throw invalid(`codes.${position}.testCode`, messages.invalid('Test Code'))
    return {
      instrument_id: id,
      instrument_code: row.instrumentCode,
      position,
      test_id: testId,
      units: row.units,
      decimals: row.decimals,
    }
  })
  await db.deleteFrom('instrument_code').where('instrument_id', '=', id).execute()
  if (rows.length > 0) await db.insertInto('instrument_code').values(rows).execute()
  const words = (list: readonly InstrumentCode[]) =>
    Object.fromEntries(
      list.map((row) => [
        row.instrumentCode,
        [row.testCode, row.units, row.decimals].filter((part) => part !== null).join(' '),
      ]),
    )
  await audit(call, id, 'CODES', words(before), words(codes))
  const { name } = await getInstrument(db, id)
  await placeAgain({ ...call, actor: instrumentActor(name, 'Table of codes') }, await listHeld(db, id))
  return listCodes(db, id)
}

export const listControls = async (db: Db, instrumentId: number): Promise<InstrumentControl[]> => {
  await getInstrument(db, instrumentId)
  const { rows } = await sql<InstrumentControl>`
    select c.specimen_id as "specimenId", c.lot_id as "lotId" from instrument_control c
    where c.instrument_id = ${instrumentId} order by c.position`.execute(db)
  return rows
}

export const saveControls = async (
  call: WriteCall,
  id: number,
  controls: readonly InstrumentControl[],
): Promise<InstrumentControl[]> => {
  const { db } = call
  await lockTables(call, id)
  const before = await listControls(db, id)
  const lots = await db
    .selectFrom('qc_lot')
    .select('id')
    .where('id', '=', anyId(controls.map(({ lotId }) => lotId)))
    .execute()
  for (const [index, { lotId }] of controls.entries())
    if (!lots.some((lot) => lot.id === lotId)) throw invalid(`controls.${index}.lotId`, messages.invalid('Lot'))
  await db.deleteFrom('instrument_control').where('instrument_id', '=', id).execute()
  if (controls.length > 0)
    await db
      .insertInto('instrument_control')
      .values(
        controls.map(({ specimenId, lotId }, position) => ({
          instrument_id: id,
          specimen_id: specimenId,
          position,
          lot_id: lotId,
        })),
      )
      .execute()
  const words = (list: readonly InstrumentControl[]) =>
    Object.fromEntries(list.map(({ specimenId, lotId }) => [specimenId, lotId]))
  await audit(call, id, 'CONTROLS', words(before), words(controls))
  return listControls(db, id)
}

/** Serializes concurrent saves of a table, and the processing of messages with them. */
const lockTables = async ({ db }: WriteCall, id: number) => {
  await getInstrument(db, id)
  await lockInstrumentProcessing(db, id)
}

/** Serializes the processing of results of one instrument. */
export const lockInstrumentProcessing = (db: Db, id: number) =>
  sql`select pg_advisory_xact_lock(hashtext('instrument-work'), ${id}::int)`.execute(db)

const audit = (
  call: WriteCall,
  id: number,
  action: string,
  old: Record<string, unknown>,
  now: Record<string, unknown>,
) => recordAudit(call.db, call.actor, call.requestId, { entity: 'instrument', entityId: id, action, old, new: now })
