import {
  type Instrument,
  type InstrumentInput,
  type InstrumentUpdate,
  instrumentLabels,
} from '@lis/contract/instruments.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { findInstrument, instrumentColumns, isInstrumentNameTaken, isLab } from './queries.ts'

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'instrument', entityId: id, ...record })

export const getInstrument = async (db: Db, id: number): Promise<Instrument> => {
  const found = await findInstrument(db, id)
  if (!found) throw notFound('Instrument')
  return found
}

export const createInstrument = async (call: WriteCall, input: InstrumentInput): Promise<{ id: number }> => {
  await requireValid(call.db, input, null)
  const { id } = await call.db
    .insertInto('instrument')
    .values(instrumentColumns(input))
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(call, id, { action: 'CREATE', new: withoutDerived(await getInstrument(call.db, id)) })
  return { id }
}

export const updateInstrument = async (
  call: WriteCall,
  id: number,
  sent: InstrumentUpdate,
  expected: number | null,
): Promise<Instrument> => {
  const { db } = call
  await lockRow(db, 'instrument', id, 'update')
  const before = await getInstrument(db, id)
  await requireVersion(db, 'instrument', expected, before)
  const input = mergeUpdate<InstrumentInput>(withoutDerived(before), sent)
  await requireValid(db, input, id)
  await db
    .updateTable('instrument')
    .set({ ...instrumentColumns(input), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  const after = await getInstrument(db, id)
  await audit(call, id, { action: 'UPDATE', old: withoutDerived(before), new: withoutDerived(after) })
  return after
}

/** Its results and controls stay. */
export const removeInstrument = async (call: WriteCall, id: number) => {
  const { db } = call
  await lockRow(db, 'instrument', id, 'delete')
  const before = await getInstrument(db, id)
  await db
    .updateTable('instrument')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await audit(call, id, { action: 'DELETE', old: withoutDerived(before) })
}

const requireValid = async (trx: Trx, input: InstrumentInput, id: number | null) => {
  if (!(await isLab(trx, input.labId))) throw invalid('labId', messages.invalid(instrumentLabels.labId))
  if (input.host !== null && input.port === null) throw invalid('port', messages.required(instrumentLabels.port))
  if (await isInstrumentNameTaken(trx, input, id)) throw invalid('name', `${instrumentLabels.name} is already used`)
}

export const withoutDerived = (instrument: Instrument): InstrumentInput => {
  const { name, labId, model, serialNumber, protocol, host, port, isActive } = instrument
  return { name, labId, model, serialNumber, protocol, host, port, isActive }
}
