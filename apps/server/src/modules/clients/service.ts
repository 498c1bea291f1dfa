import {
  type Client,
  type ClientFields,
  type ClientInput,
  type ClientUpdate,
  clientCodes,
  clientLabels,
  clientMessages,
  deliveryErrors,
  sameClientQuestion,
  unknownTimeZone,
} from '@lis/contract/clients.ts'
import type { FieldError } from '@lis/contract/kit/errors.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { throwConflictIfAny } from '../../platform/conflicts.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { announce } from '../../platform/domain-events.ts'
import { invalid, invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Services } from '../../platform/services.ts'
import { hasHl7Receiver, hl7ReceiverMessage, lockAndFindCodeOwner, unknownCodes } from '../lookups/queries.ts'
import { addPairs } from '../physicians/service.ts'
import {
  clientColumns,
  countUsesOfClient,
  findClient,
  findPlace,
  isClientVisible,
  lockAndFindDuplicates,
  lockAndFindMissingIds,
  nextClientId,
  type Place,
  setLabs,
  setSales,
} from './queries.ts'
import { decideZone } from './zone.ts'

/** Without questions, as in loads, a possible duplicate is saved. */
type SaveCall = WriteCall & { questions?: Questions }

export const auditClient = (
  { db, actor, requestId, questions }: SaveCall,
  clientId: number,
  record: Pick<AuditRecord, 'action' | 'old' | 'new'>,
) =>
  recordAudit(db, actor, requestId, {
    entity: 'client',
    entityId: clientId,
    clientId,
    reason: questions?.history,
    ...record,
  })

export const getClient = async (db: Db, actor: Actor, id: number): Promise<Client> => {
  const found = await findClient(db, actor, id)
  if (!found) throw notFound('Client')
  return found
}

/** For calls about the records of a client: a client out of scope is not found. */
export const requireClient = async (db: Db, actor: Actor, id: number) => {
  if (!(await isClientVisible(db, actor, id))) throw notFound('Client')
}

/** Serializes writes to one client and its records. */
export const lockVisibleClient = async ({ db, actor }: WriteCall, id: number) => {
  await lockRow(db, 'client', id, 'update')
  await requireClient(db, actor, id)
}

export const createClient = async (call: SaveCall, input: ClientInput): Promise<{ id: number }> => {
  const { db, actor } = call
  const id = await nextClientId(db)
  const place = await requireValid(db, id, input, null)
  await askAboutDuplicates(call, id, input)
  await db
    .insertInto('client')
    .values({
      id,
      ...clientColumns(input),
      legacy_client_id: input.legacyClientId ?? (await makeLegacyId(db, id)),
      zone: await decideZone(input, place, input.clientTz, null),
    })
    .execute()
  await setLabs(db, id, input.labIds)
  await setSales(db, id, input.salesIds)
  await auditClient(call, id, { action: 'CREATE', new: auditedFields(await getClient(db, actor, id)) })
  return { id }
}

/** Changes what is given; `physIds` adds (PHY-G9). */
export const updateClient = async (
  call: SaveCall & { services: Pick<Services, 'config'> },
  id: number,
  { physIds = [], ...sent }: ClientUpdate,
  expected: number | null,
): Promise<Client> => {
  const { db, actor } = call
  await lockRow(db, 'client', id, 'update')
  const before = await getClient(db, actor, id)
  await requireVersion(db, 'client', expected, before)
  if (Object.values(sent).some((value) => value !== undefined)) {
    const wanted: ClientFields = { ...before, ...sent, clientTz: null }
    const place = await requireValid(db, id, wanted, before, sent)
    const { legacyClientId } = before
    if ((wanted.legacyClientId ?? legacyClientId) !== legacyClientId && hasHl7Receiver(call.services, legacyClientId))
      throw invalid('legacyClientId', hl7ReceiverMessage(clientLabels.legacyClientId, legacyClientId))
    const isRenamed = wanted.clientName !== before.clientName || wanted.clientZip !== before.clientZip
    if (isRenamed) await askAboutDuplicates(call, id, wanted)
    await db
      .updateTable('client')
      .set({
        ...clientColumns(wanted),
        legacy_client_id: wanted.legacyClientId ?? before.legacyClientId,
        zone: await decideZone(wanted, place, sent.clientTz, before),
        version: sql<number>`version + 1`,
      })
      .where('id', '=', id)
      .execute()
    // Only when they change: every write here also updates the rows of the requisition list that show it.
    if (!isSame(wanted.labIds, before.labIds)) await setLabs(db, id, wanted.labIds)
    if (!isSame(wanted.salesIds, before.salesIds)) await setSales(db, id, wanted.salesIds)
    const after = await getClient(db, actor, id)
    await auditClient(call, id, { action: 'UPDATE', old: auditedFields(before), new: auditedFields(after) })
    const zones = [before.clientTz, after.clientTz]
    if (zones[0] !== zones[1] && zones.includes(unknownTimeZone))
      await announce(call, 'clientZoneChanged', { clientId: id })
  }
  await addPairs(
    call,
    physIds.map((physId) => ({ clientId: id, physId })),
  )
  return getClient(db, actor, id)
}

export const removeClients = async (
  call: WriteCall & { services: Pick<Services, 'config'> },
  ids: readonly number[],
) => {
  const { db, actor } = call
  const leaving: Client[] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    await lockRow(db, 'client', id, 'delete')
    leaving.push(await getClient(db, actor, id))
  }
  const reasons: (string | null)[] = []
  for (const client of leaving) reasons.push(await deletionRefusal(call, client))
  throwConflictIfAny(reasons)
  for (const before of leaving) {
    const { id } = before
    await db
      .updateTable('client')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute()
    await auditClient(call, id, { action: 'DELETE', old: auditedFields(before) })
  }
}

/** What the audit stores: with names beside ids, so that it can be read later. */
export const auditedFields = ({ id: _, version: __, salesJson: ___, ...audited }: Client) => audited

const isSame = (one: readonly number[], other: readonly number[]) => one.join() === other.join()

// ── rules ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const fault = (field: keyof typeof clientLabels): FieldError => ({
  field,
  message: messages.invalid(clientLabels[field]),
})

/**
 * Checks the input against the database. Of an existing client only the sent fields are checked: a record from before a rule can still
 * get a new note, and a code that has left its list since it was chosen may stay.
 */
const requireValid = async (
  trx: Trx,
  id: number,
  wanted: ClientFields,
  before: Client | null,
  sent: Partial<ClientFields> = wanted,
): Promise<Place> => {
  const place = await findPlace(trx, wanted.clientCountryId, wanted.clientStateId)
  if (!place) throw invalidFields([fault('clientCountryId')])
  const faults = [
    ...(place.state ? [] : [fault('clientStateId')]),
    ...(await unknownChoices(trx, wanted, before)).map(fault),
    ...(isOneSent(sent, 'clientTransmitMethodCode', 'clientFaxEmail', 'clientEmail') ? deliveryErrors(wanted) : []),
  ]
  const isUsZip = /^\d{5}(-\d{4})?$/.test(wanted.clientZip)
  if (place.country === 'US' && !isUsZip && isOneSent(sent, 'clientZip', 'clientCountryId'))
    faults.push({ field: 'clientZip', message: clientMessages.zipInvalid })
  if (faults.length > 0) throw invalidFields(faults)
  const { legacyClientId } = wanted
  if (legacyClientId && legacyClientId !== before?.legacyClientId) {
    const owner = await lockAndFindCodeOwner(trx, legacyClientId, { clientId: id })
    const asWhat = owner === 'collaborator' ? ' as the alias of a collaborator' : ''
    if (owner) throw invalid('legacyClientId', `${clientLabels.legacyClientId} is already used${asWhat}`)
  }
  return place
}

const isOneSent = (sent: Partial<ClientFields>, ...fields: (keyof ClientFields)[]) =>
  fields.some((field) => sent[field] !== undefined)

const unknownChoices = async (trx: Trx, wanted: ClientFields, before: Client | null) => {
  const fields = Object.keys(clientCodes) as (keyof typeof clientCodes)[]
  const codes = fields
    .filter((field) => wanted[field] !== before?.[field])
    .map((field) => ({ field, type: clientCodes[field], code: wanted[field] }))
  const wrong = (await unknownCodes(trx, codes)).map(({ field }) => field as keyof typeof clientCodes)
  const isMissing = async (
    table: Parameters<typeof lockAndFindMissingIds>[1],
    ids: (number | null)[],
    storedIds: (number | null)[] = [],
  ) =>
    (await lockAndFindMissingIds(trx, table, ids.filter((id) => id !== null && !storedIds.includes(id)) as number[]))
      .length > 0
  return [
    ...wrong,
    ...((await isMissing('collaborator', [wanted.colaId], [before?.colaId ?? null])) ? (['colaId'] as const) : []),
    ...((await isMissing('sales_person', [wanted.serviceId], [before?.serviceId ?? null]))
      ? (['serviceId'] as const)
      : []),
    ...((await isMissing('sales_person', wanted.salesIds, before?.salesIds)) ? (['salesIds'] as const) : []),
    ...((await isMissing('lab', wanted.labIds, before?.labIds)) ? (['labIds'] as const) : []),
  ]
}

const askAboutDuplicates = async (
  { db, questions }: SaveCall,
  id: number,
  { clientName, clientZip }: Pick<ClientFields, 'clientName' | 'clientZip'>,
) => {
  if (!questions) return
  const duplicates = await lockAndFindDuplicates(db, clientName, clientZip, id)
  if (duplicates.length > 0)
    questions.ask({ code: sameClientQuestion, field: 'clientName', message: clientMessages.duplicate, duplicates })
  questions.requireAnswers()
}

/** If another client already has this ID, a number is appended. */
const makeLegacyId = async (trx: Trx, id: number): Promise<string> => {
  const wanted = `C${1000 + id}`
  let legacyId = wanted
  for (let number = 2; await lockAndFindCodeOwner(trx, legacyId, { clientId: id }); number++)
    legacyId = `${wanted}-${number}`
  return legacyId
}

const deletionRefusal = async (
  { db, services }: WriteCall & { services: Pick<Services, 'config'> },
  { id, clientName, legacyClientId }: Client,
): Promise<string | null> => {
  const { requisitions, copies, users } = await countUsesOfClient(db, id)
  const uses = [
    requisitions > 0 && `${requisitions} requisition(s)`,
    copies > 0 && `${copies} requisition(s) copied to it`,
    users > 0 && `${users} user(s)`,
  ].filter(Boolean)
  if (uses.length > 0) return `${clientName} cannot be deleted: still used by ${uses.join(', ')}`
  return hasHl7Receiver(services, legacyClientId)
    ? `${clientName} cannot be deleted: ${hl7ReceiverMessage(clientLabels.legacyClientId, legacyClientId)}`
    : null
}
