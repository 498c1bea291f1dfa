import { messages } from '@lis/contract/messages.ts'
import {
  type Physician,
  type PhysicianInput,
  type PhysicianUpdate,
  physicianLabels,
  physicianMessages,
  samePhysicianQuestion,
} from '@lis/contract/physicians.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { throwConflictIfAny } from '../../platform/conflicts.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { unknownCodes } from '../lookups/queries.ts'
import {
  countUsesOfPhysician,
  findPhysician,
  linkPairs,
  lockAndFindDuplicates,
  lockExisting,
  type Pair,
  physicianColumns,
  unlinkPairs,
} from './queries.ts'

/** Without questions, as in loads, a possible duplicate is saved. */
type SaveCall = WriteCall & { questions?: Questions }

const audit = (
  { db, actor, requestId, questions }: SaveCall,
  id: number,
  record: Pick<AuditRecord, 'action' | 'old' | 'new'>,
) => recordAudit(db, actor, requestId, { entity: 'physician', entityId: id, reason: questions?.history, ...record })

export const getPhysician = async (db: Db, actor: Actor, id: number): Promise<Physician> => {
  const found = await findPhysician(db, actor, id)
  if (!found) throw notFound('Physician')
  return found
}

export const createPhysician = async (call: SaveCall, input: PhysicianInput): Promise<Physician> => {
  const { db, actor } = call
  await requireKnownCodes(db, input, null)
  await askAboutDuplicates(call, input.npiNumber, null)
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
  call: SaveCall,
  id: number,
  { clientIds = [], ...change }: PhysicianUpdate,
  expected: number | null,
): Promise<Physician> => {
  const { db, actor } = call
  await lockRow(db, 'physician', id, 'update')
  const before = await getPhysician(db, actor, id)
  await requireVersion(db, 'physician', expected, before)
  if (Object.values(change).some((value) => value !== undefined)) {
    const wanted = { ...before, ...change }
    await requireKnownCodes(db, wanted, before)
    if (wanted.npiNumber !== before.npiNumber) await askAboutDuplicates(call, wanted.npiNumber, id)
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
    await lockRow(db, 'physician', id, 'delete')
    leaving.push(await getPhysician(db, actor, id))
  }
  const reasons: (string | null)[] = []
  for (const physician of leaving) reasons.push(await deletionRefusal(db, physician))
  throwConflictIfAny(reasons)
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

/** Unlinks clients from a physician; all of them or none. */
export const removeClients = async (call: WriteCall, id: number, clientIds: readonly number[]) => {
  await lockRow(call.db, 'physician', id, 'update')
  await getPhysician(call.db, call.actor, id)
  await removePairs(
    call,
    clientIds.map((clientId) => ({ clientId, physId: id })),
    'Client',
  )
}

// ── pairs of client and physician, written from both sides ───────────────────────────────────────────────────────────

/** Links clients and physicians; linked pairs stay linked. */
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

/** Unlinks them. Past orders still refer to the pair. */
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

/** A code that has left its list since it was chosen may stay. */
const requireKnownCodes = async (trx: Trx, input: Codes, before: Codes | null) => {
  const chosen = [
    { field: 'physTitle', type: 'PHYSTITLE', code: input.physTitle },
    { field: 'physPortalPrefCode', type: 'PORTALPREF', code: input.physPortalPrefCode },
  ] as const
  const changed = chosen.filter(({ field, code }) => code !== before?.[field])
  const [wrong] = await unknownCodes(trx, changed)
  if (wrong) throw invalid(wrong.field, messages.invalid(physicianLabels[wrong.field as keyof Codes]))
}

const askAboutDuplicates = async ({ db, questions }: SaveCall, npi: string, exceptId: number | null) => {
  if (!questions) return
  const duplicates = await lockAndFindDuplicates(db, npi, exceptId)
  if (duplicates.length > 0)
    questions.ask({ code: samePhysicianQuestion, field: 'npiNumber', message: physicianMessages.duplicate, duplicates })
  questions.requireAnswers()
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
