import {
  type ClientEvent,
  type ClientPrice,
  defaultCurrency,
  type EventFields,
  type EventUpdate,
  eventLabels,
  type PriceInput,
  type PriceUpdate,
  priceLabels,
} from '@lis/contract/client-records.ts'
import { clientLabels } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import { throwConflictIfAny } from '../../platform/conflicts.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { findRow } from '../../platform/lists.ts'
import { unknownCodes } from '../lookups/queries.ts'
import { lockAndFindMissingIds, setLabs, setSales } from './queries.ts'
import { eventsOfClient, pricesOfClient } from './record-lists.ts'
import { auditClient, auditedFields, getClient, lockVisibleClient } from './service.ts'

/** The ids of a client and of one of its records. */
export interface RecordPath {
  id: number
  recordId: number
}

export const auditRecord = (
  { db, actor, requestId }: WriteCall,
  clientId: number,
  record: Omit<AuditRecord, 'clientId'>,
) => recordAudit(db, actor, requestId, { clientId, ...record })

// ── laboratories and sales reps: part of the client, so a change raises its version ────────────────────────────────

export const addLabs = async (call: WriteCall, clientId: number, labIds: readonly number[]) => {
  if ((await lockAndFindMissingIds(call.db, 'lab', labIds)).length > 0)
    throw invalid('labIds', messages.invalid(clientLabels.labIds))
  await changeClient(call, clientId, (trx, client) =>
    setLabs(trx, clientId, [...new Set([...client.labIds, ...labIds])]),
  )
}

export const removeLabs = (call: WriteCall, clientId: number, labIds: readonly number[]) =>
  changeClient(call, clientId, async (trx, client) => {
    const left = without(client.labIds, labIds, 'Laboratory')
    if (left.length === 0) throw conflict('A client needs at least one performing laboratory')
    await setLabs(trx, clientId, left)
  })

export const addSales = async (call: WriteCall, clientId: number, salesIds: readonly number[]) => {
  if ((await lockAndFindMissingIds(call.db, 'sales_person', salesIds)).length > 0)
    throw invalid('salesIds', messages.invalid(clientLabels.salesIds))
  await changeClient(call, clientId, (trx, client) =>
    setSales(trx, clientId, [...new Set([...client.salesIds, ...salesIds])]),
  )
}

/** When the primary one is removed, the next becomes primary. */
export const removeSales = (call: WriteCall, clientId: number, salesIds: readonly number[]) =>
  changeClient(call, clientId, (trx, client) =>
    setSales(trx, clientId, without(client.salesIds, salesIds, 'Sales person')),
  )

const without = (all: readonly number[], leaving: readonly number[], what: string) => {
  if (leaving.some((id) => !all.includes(id))) throw notFound(what)
  return all.filter((id) => !leaving.includes(id))
}

const changeClient = async (
  call: WriteCall,
  clientId: number,
  change: (trx: Trx, client: Awaited<ReturnType<typeof getClient>>) => Promise<void>,
) => {
  const { db, actor } = call
  await lockVisibleClient(call, clientId)
  const before = await getClient(db, actor, clientId)
  await change(db, before)
  await db.updateTable('client').set({ version: sql<number>`version + 1` }).where('id', '=', clientId).execute()
  const after = await getClient(db, actor, clientId)
  await auditClient(call, clientId, { action: 'UPDATE', old: auditedFields(before), new: auditedFields(after) })
}

// ── events ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export const getEvent = async (db: Db, { id, recordId }: RecordPath): Promise<ClientEvent> => {
  const found = await findRow<ClientEvent>(db, eventsOfClient(id), recordId)
  if (!found) throw notFound('Event')
  return found
}

const requireProgram = async (trx: Trx, id: number) => {
  const found = await trx.selectFrom('program').select('id').where('id', '=', bigint(id)).executeTakeFirst()
  if (!found) throw invalid('programId', messages.invalid(eventLabels.programId))
}

export const addEvent = async (call: WriteCall, clientId: number, input: EventFields): Promise<{ id: number }> => {
  const { db } = call
  await lockVisibleClient(call, clientId)
  await requireProgram(db, input.programId)
  const { id } = await db
    .insertInto('client_event')
    .values({ client_id: clientId, program_id: input.programId, name: input.eventName })
    .returning('id')
    .executeTakeFirstOrThrow()
  const event = await getEvent(db, { id: clientId, recordId: id })
  await auditRecord(call, clientId, { entity: 'client_event', entityId: id, action: 'CREATE', new: event })
  return { id }
}

export const updateEvent = async (
  call: WriteCall,
  path: RecordPath,
  sent: EventUpdate,
  expected: number | null,
): Promise<ClientEvent> => {
  const { db } = call
  await lockVisibleClient(call, path.id)
  const before = await getEvent(db, path)
  await requireVersion(db, 'client_event', expected, before)
  const input: EventFields = mergeUpdate(before, sent)
  if (input.programId !== before.programId) await requireProgram(db, input.programId)
  await db
    .updateTable('client_event')
    .set({ program_id: input.programId, name: input.eventName, version: sql<number>`version + 1` })
    .where('id', '=', path.recordId)
    .execute()
  const after = await getEvent(db, path)
  const record = { entity: 'client_event', entityId: path.recordId, action: 'UPDATE' }
  await auditRecord(call, path.id, { ...record, old: before, new: after })
  return after
}

export const removeEvents = async (call: WriteCall, clientId: number, ids: readonly number[]) => {
  const { db } = call
  await lockVisibleClient(call, clientId)
  const leaving: Awaited<ReturnType<typeof getEvent>>[] = []
  const reasons: string[] = []
  for (const recordId of ids) {
    await db.selectFrom('client_event').select('id').where('id', '=', bigint(recordId)).forUpdate().execute()
    const before = await getEvent(db, { id: clientId, recordId })
    leaving.push(before)
    const { uses } = await db
      .selectFrom('requisition')
      .select((eb) => eb.fn.countAll<number>().as('uses'))
      .where('event_id', '=', recordId)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (uses > 0) reasons.push(`${before.eventName} cannot be deleted: still used by ${uses} requisition(s)`)
  }
  throwConflictIfAny(reasons)
  for (const before of leaving) {
    const recordId = before.id
    await db
      .updateTable('client_event')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', recordId)
      .execute()
    await auditRecord(call, clientId, { entity: 'client_event', entityId: recordId, action: 'DELETE', old: before })
  }
}

// ── test prices ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const getPrice = async (db: Db, { id, recordId }: RecordPath): Promise<ClientPrice> => {
  const found = await findRow<ClientPrice>(db, pricesOfClient(id), recordId)
  if (!found) throw notFound('Test price')
  return found
}

export const addPrice = async (call: WriteCall, clientId: number, input: PriceInput): Promise<{ id: number }> => {
  const { db } = call
  await lockVisibleClient(call, clientId)
  const currency = input.currencyCode ?? defaultCurrency
  await requireValidPrice(db, { id: clientId, recordId: 0 }, input.testId, currency)
  const { id } = await db
    .insertInto('client_test_price')
    .values({ client_id: clientId, ...priceColumns(input, currency) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const price = await getPrice(db, { id: clientId, recordId: id })
  await auditRecord(call, clientId, { entity: 'client_test_price', entityId: id, action: 'CREATE', new: price })
  return { id }
}

export const updatePrice = async (
  call: WriteCall,
  path: RecordPath,
  sent: PriceUpdate,
  expected: number | null,
): Promise<ClientPrice> => {
  const { db } = call
  await lockVisibleClient(call, path.id)
  const before = await getPrice(db, path)
  await requireVersion(db, 'client_test_price', expected, before)
  const input: PriceInput = mergeUpdate<PriceInput>({ ...before, price: String(before.price) }, sent)
  const currency = input.currencyCode ?? before.currencyCode
  await requireValidPrice(db, path, input.testId, currency)
  await db
    .updateTable('client_test_price')
    .set({ ...priceColumns(input, currency), version: sql<number>`version + 1` })
    .where('id', '=', path.recordId)
    .execute()
  const after = await getPrice(db, path)
  const record = { entity: 'client_test_price', entityId: path.recordId, action: 'UPDATE' }
  await auditRecord(call, path.id, { ...record, old: before, new: after })
  return after
}

export const removePrices = async (call: WriteCall, clientId: number, ids: readonly number[]) => {
  const { db } = call
  await lockVisibleClient(call, clientId)
  for (const recordId of ids) {
    const before = await getPrice(db, { id: clientId, recordId })
    await db
      .updateTable('client_test_price')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', recordId)
      .execute()
    await auditRecord(call, clientId, {
      entity: 'client_test_price',
      entityId: recordId,
      action: 'DELETE',
      old: before,
    })
  }
}

const priceColumns = (input: PriceInput, currency: string) => ({
  test_id: input.testId,
  price: input.price,
  currency_code: currency,
  price_comment: input.priceComment,
})

/** One price per test and currency (CLI-G14). */
export const requireValidPrice = async (trx: Trx, { id, recordId }: RecordPath, testId: number, currency: string) => {
  const [wrong] = await unknownCodes(trx, [{ field: 'currencyCode', type: 'CURRENCY', code: currency }])
  if (wrong) throw invalid('currencyCode', messages.invalid(priceLabels.currencyCode))
  const test = await trx
    .selectFrom('test as t')
    .select((eb) => [
      't.code',
      eb
        .exists(
          eb
            .selectFrom('client_test_price as x')
            .select('x.id')
            .where('x.client_id', '=', id)
            .whereRef('x.test_id', '=', 't.id')
            .where('x.currency_code', '=', currency)
            .where('x.deleted_at', 'is', null)
            .where('x.id', '<>', recordId),
        )
        .as('isTaken'),
    ])
    .where('t.id', '=', bigint(testId))
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!test) throw invalid('testId', messages.invalid(priceLabels.testId))
  if (test.isTaken) throw conflict(`${test.code} already has a price in ${currency} for this client`)
}
