import { messages } from '@lis/contract/messages.ts'
import {
  type Physician,
  type PhysicianInput,
  type PhysicianUpdate,
  physicianLabels,
  physicianMessages,
} from '@lis/contract/physicians.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { refuseAny } from '../../platform/refusals.ts'
import { unknownCodes } from '../lookups/queries.ts'
import {
  countUsesOfPhysician,
  findPhysician,
  linkPairs,
  lockAndFindDuplicates,
  lockExisting,
  lockPhysician,
  type Pair,
  physicianColumns,
  unlinkPairs,
} from './queries.ts'

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'physician', entityId: id, ...record })

export const getPhysician = async (db: Db, actor: Actor, id: number): Promise<Physician> => {
  const found = await findPhysician(db, actor, id)
  if (!found) throw notFound('Physician')
  return found
}

export const createPhysician = async (call: WriteCall, input: PhysicianInput): Promise<Physician> => {
  const { db, actor } = call
  await requireKnownCodes(db, input, null)
  if (!input.confirmDuplicate) await requireNoDuplicate(db, input.npiNumber, null)
  const { id } = await db
    .insertInto('physician')
    .values(physicianColumns(input))
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(call, id, { action: 'CREATE', new: auditedFields(await getPhysician(db, actor, id)) })
  await addPairs(
    call,
    input.clientIds.map((clientId) => ({ clientId, physId: id })),
  )
  return getPhysician(db, actor, id)
}

/** Changes what is given; `clientIds` adds (PHY-G9). */
export const updatePhysician = async (
  call: WriteCall,
  id: number,
  { clientIds = [], confirmDuplicate, ...change }: PhysicianUpdate,
  expected: number | null,
): Promise<Physician> => {
  const { db, actor } = call
  await lockPhysician(db, id, 'update')
  const before = await getPhysician(db, actor, id)
  await requireVersion(db, 'physician', expected, before)
  if (Object.values(change).some((value) => value !== undefined)) {
    const wanted = { ...before, ...change }
    await requireKnownCodes(db, wanted, before)
    if (!confirmDuplicate && wanted.npiNumber !== before.npiNumber) await requireNoDuplicate(db, wanted.npiNumber, id)
    await db
      .updateTable('physician')
      .set({ ...physicianColumns(wanted), version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute()
    const after = await getPhysician(db, actor, id)
    await audit(call, id, { action: 'UPDATE', old: auditedFields(before), new: auditedFields(after) })
  }
  await addPairs(
    call,
    clientIds.map((clientId) => ({ clientId, physId: id })),
  )
  return getPhysician(db, actor, id)
}

export const removePhysicians = async (call: WriteCall, ids: readonly number[]) => {
  const { db, actor } = call
  const leaving: Physician[] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    await lockPhysician(db, id, 'delete')
    leaving.push(await getPhysician(db, actor, id))
  }
  const reasons: (string | null)[] = []
  for (const physician of leaving) reasons.push(await deletionRefusal(db, physician))
  refuseAny(reasons)
  for (const before of leaving) {
    const { id } = before
    await db
      .updateTable('physician')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute()
    await audit(call, id, { action: 'DELETE', old: auditedFields(before) })
  }
}

/** Takes clients away from a physician; all of them or none. */
export const removeClients = async (call: WriteCall, id: number, clientIds: readonly number[]) => {
  await lockPhysician(call.db, id, 'update')
  await getPhysician(call.db, call.actor, id)
  await removePairs(
    call,
    clientIds.map((clientId) => ({ clientId, physId: id })),
    'Client',
  )
}

// ── pairs of client and physician, which both sides write ───────────────────────────────────────────────────────────

/** Joins clients and physicians; those that are joined already stay so. */
export const addPairs = async (call: WriteCall, pairs: readonly Pair[]) => {
  if (pairs.length === 0) return
  const existing = await lockExisting(call.db, pairs)
  if (pairs.some(({ clientId }) => !existing.clients.has(clientId)))
    throw invalid('clientIds', messages.invalid(physicianLabels.clientIds))
  if (pairs.some(({ physId }) => !existing.physicians.has(physId)))
    throw invalid('physIds', messages.invalid('Physicians'))
  const linked = await linkPairs(call.db, pairs)
  await auditPairs(call, 'CREATE', linked)
}

/** Parts them. Orders of the past keep naming the pair. */
export const removePairs = async (call: WriteCall, pairs: readonly Pair[], what: 'Client' | 'Physician') => {
  const unlinked = await unlinkPairs(call.db, pairs)
  if (unlinked.length < pairs.length) throw notFound(what)
  await auditPairs(call, 'DELETE', unlinked)
}

const auditPairs = async (
  { db, actor, requestId }: WriteCall,
  action: 'CREATE' | 'DELETE',
  pairs: Awaited<ReturnType<typeof linkPairs>>,
) => {
  const records = pairs.map(({ id, ...pair }): AuditRecord => {
    const record = { entity: 'client_physician', entityId: id, action, clientId: pair.clientId }
    return action === 'CREATE' ? { ...record, new: pair } : { ...record, old: pair }
  })
  if (records.length > 0) await recordAudit(db, actor, requestId, records)
}

// ── rules ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Codes = Pick<Physician, 'physTitle' | 'physPortalPrefCode'>

/** A code that was chosen while it was in its list may stay after it has left it. */
const requireKnownCodes = async (trx: Trx, input: Codes, before: Codes | null) => {
  const chosen = [
    { field: 'physTitle', type: 'PHYSTITLE', code: input.physTitle },
    { field: 'physPortalPrefCode', type: 'PORTALPREF', code: input.physPortalPrefCode },
  ] as const
  const fresh = chosen.filter(({ field, code }) => code !== before?.[field])
  const [wrong] = await unknownCodes(trx, fresh)
  if (wrong) throw invalid(wrong.field, messages.invalid(physicianLabels[wrong.field as keyof Codes]))
}

/** Asks once: the same call with `confirmDuplicate` is served. */
const requireNoDuplicate = async (trx: Trx, npi: string, besides: number | null) => {
  const duplicates = await lockAndFindDuplicates(trx, npi, besides)
  if (duplicates.length === 0) return
  throw new AppError('conflict', physicianMessages.duplicate, {
    errors: [{ field: 'confirmDuplicate', message: physicianMessages.duplicate }],
    current: { duplicates },
  })
}

const deletionRefusal = async (trx: Trx, { id, physFirstName, physLastName }: Physician): Promise<string | null> => {
  const { requisitions, users } = await countUsesOfPhysician(trx, id)
  const uses = [requisitions > 0 && `${requisitions} requisition(s)`, users > 0 && `${users} user(s)`].filter(Boolean)
  return uses.length > 0 ? `${physFirstName} ${physLastName} cannot be deleted: still used by ${uses.join(', ')}` : null
}

export const auditedFields = ({
  physFirstName,
  physMiddleName,
  physLastName,
  physTitle,
  npiNumber,
  ptanNumber,
  physPortalPrefCode,
}: Physician) => ({
  physFirstName,
  physMiddleName,
  physLastName,
  physTitle,
  npiNumber,
  ptanNumber,
  physPortalPrefCode,
})
