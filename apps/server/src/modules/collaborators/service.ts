import {
  type Collaborator,
  type CollaboratorInput,
  type CollaboratorUpdate,
  collaboratorCodes,
  collaboratorLabels,
} from '@lis/contract/collaborators.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import { throwConflictIfAny } from '../../platform/conflicts.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { announce } from '../../platform/domain-events.ts'
import { invalid, invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Services } from '../../platform/services.ts'
import { hasHl7Receiver, hl7ReceiverMessage, lockAndFindCodeOwner, unknownCodes } from '../lookups/queries.ts'
import { collaboratorColumns, countUsesOfCollaborator, findCollaborator, findPlace, isNameTaken } from './queries.ts'
import { keepReportLogo, logoMark } from './report-logos.ts'

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'collaborator', entityId: id, ...record })

export const getCollaborator = async (db: Db, id: number): Promise<Collaborator> => {
  const found = await findCollaborator(db, id)
  if (!found) throw notFound('Collaborator')
  return found
}

export const createCollaborator = async (call: WriteCall, input: CollaboratorInput): Promise<{ id: number }> => {
  const { db } = call
  await requireValid(db, input, null)
  const { id } = await db
    .insertInto('collaborator')
    .values({ ...collaboratorColumns(input), ...(await logoColumn(db, input, null)) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(call, id, { action: 'CREATE', new: withoutDerived(await getCollaborator(db, id)) })
  return { id }
}

export const updateCollaborator = async (
  call: WriteCall & { services: Pick<Services, 'config'> },
  id: number,
  sent: CollaboratorUpdate,
  expected: number | null,
): Promise<Collaborator> => {
  const { db, services } = call
  await lockRow(db, 'collaborator', id, 'update')
  const before = await getCollaborator(db, id)
  await requireVersion(db, 'collaborator', expected, before)
  const input: CollaboratorInput = mergeUpdate(before, sent)
  await requireValid(db, input, before)
  if (input.colaAlias !== before.colaAlias && hasHl7Receiver(services, before.colaAlias))
    throw invalid('colaAlias', hl7ReceiverMessage(collaboratorLabels.colaAlias, before.colaAlias))
  await db
    .updateTable('collaborator')
    .set({
      ...collaboratorColumns(input),
      ...(await logoColumn(db, input, before)),
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
  const after = await getCollaborator(db, id)
  await audit(call, id, { action: 'UPDATE', old: withoutDerived(before), new: withoutDerived(after) })
  if (before.reportDeliverToCode !== after.reportDeliverToCode)
    await announce(call, 'deliverToChanged', { collaboratorId: id })
  return after
}

const logoColumn = async (db: Db, { reportLogo }: CollaboratorInput, before: Collaborator | null) => {
  if (reportLogo === (before?.reportLogo ?? null)) return {}
  return { report_logo_id: reportLogo === null ? null : await keepReportLogo(db, reportLogo) }
}

export const removeCollaborators = async (
  call: WriteCall & { services: Pick<Services, 'config'> },
  ids: readonly number[],
) => {
  const { db } = call
  const leaving: Collaborator[] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    await lockRow(db, 'collaborator', id, 'delete')
    leaving.push(await getCollaborator(db, id))
  }
  const reasons: (string | null)[] = []
  for (const collaborator of leaving) reasons.push(await deletionRefusal(call, collaborator))
  throwConflictIfAny(reasons)
  for (const before of leaving) {
    const { id } = before
    await db
      .updateTable('collaborator')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute()
    await audit(call, id, { action: 'DELETE', old: withoutDerived(before) })
  }
}

/** A code that has left its list since it was chosen may stay. */
const requireValid = async (trx: Trx, input: CollaboratorInput, before: Collaborator | null) => {
  const fields = Object.keys(collaboratorCodes) as (keyof typeof collaboratorCodes)[]
  const chosen = fields
    .filter((field) => input[field] !== before?.[field])
    .map((field) => ({ field, type: collaboratorCodes[field], code: input[field] }))
  const wrong: string[] = (await unknownCodes(trx, chosen)).map(({ field }) => field)
  const place = await findPlace(trx, input.colaCountryId, input.colaStateId)
  if (!place.country) wrong.push('colaCountryId')
  else if (!place.state) wrong.push('colaStateId')
  if (wrong.length > 0)
    throw invalidFields(
      wrong.map((field) => ({
        field,
        message: messages.invalid(collaboratorLabels[field as keyof CollaboratorInput]),
      })),
    )
  if (await isNameTaken(trx, input.colaName, before?.id ?? null)) throw invalid('colaName', 'Name is already used')
  if (input.colaAlias === before?.colaAlias) return
  const owner = await lockAndFindCodeOwner(trx, input.colaAlias, { collaboratorId: before?.id ?? null })
  if (owner) throw invalid('colaAlias', `Alias is already used${owner === 'client' ? ' as a Client ID' : ''}`)
}

const deletionRefusal = async (
  { db, services }: WriteCall & { services: Pick<Services, 'config'> },
  { id, colaName, colaAlias }: Collaborator,
): Promise<string | null> => {
  const { clients, requisitions, users } = await countUsesOfCollaborator(db, id)
  const uses = [
    clients > 0 && `${clients} client(s)`,
    requisitions > 0 && `${requisitions} requisition(s)`,
    users > 0 && `${users} user(s)`,
  ].filter(Boolean)
  if (uses.length > 0) return `${colaName} cannot be deleted: still used by ${uses.join(', ')}`
  return hasHl7Receiver(services, colaAlias)
    ? `${colaName} cannot be deleted: ${hl7ReceiverMessage(collaboratorLabels.colaAlias, colaAlias)}`
    : null
}

export const withoutDerived = (collaborator: Collaborator) => {
  const { id: _, version: __, colaCountry: ___, colaState: ____, ...rest } = collaborator
  const stored = { ...rest, reportLogo: logoMark(rest.reportLogo) }
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !name.endsWith('Desc')))
}
