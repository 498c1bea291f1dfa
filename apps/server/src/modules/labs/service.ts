import { superAdmins } from '@lis/contract/access/roles.ts'
import {
  type Lab,
  type LabCreate,
  type LabInput,
  type LabUpdate,
  labLabels,
  type Signer,
  type SignerInput,
  signerLabels,
} from '@lis/contract/labs.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import {
  endSignerOn,
  findLab,
  findPlace,
  findSigner,
  findUnknownDepartments,
  insertLab,
  insertSigner,
  lockLab,
  lockSigner,
  lockUser,
  storeLab,
} from './queries.ts'

export const getLab = async (db: Db, id: number, asOf?: string): Promise<Lab> => {
  const found = await findLab(db, id, asOf)
  if (!found) throw notFound('Laboratory')
  return found
}

/** The first one is the default of new orders. */
export const createLab = async ({ db, actor, requestId }: WriteCall, input: LabCreate): Promise<{ id: number }> => {
  const created = await insertLab(db, input)
  if (!created) throw conflict(`${labLabels.labCode} is already used`)
  await recordAudit(db, actor, requestId, { entity: 'lab', entityId: created.id, action: 'CREATE', new: input })
  return created
}

export const updateLab = async (
  call: WriteCall,
  id: number,
  { version, ...sent }: LabUpdate,
  expected: number | null,
): Promise<Lab> => {
  const { db, actor, requestId } = call
  await lockLab(db, id)
  const before = await getLab(db, id)
  await requireVersion(db, 'lab', expected ?? version ?? null, before)
  const input = mergeUpdate<LabInput>(before, sent)
  await requireValid(db, input)
  await storeLab(db, id, input)
  const after = await getLab(db, id)
  await recordAudit(db, actor, requestId, {
    entity: 'lab',
    entityId: id,
    action: 'UPDATE',
    old: withoutDerived(before),
    new: withoutDerived(after),
  })
  return after
}

const requireValid = async (trx: Trx, { labCountryId, labStateId }: LabInput) => {
  const { hasCountry, hasState } = await findPlace(trx, labCountryId, labStateId)
  if (labCountryId !== null && !hasCountry) throw invalid('labCountryId', messages.invalid(labLabels.labCountryId))
  if (labStateId !== null && !hasState) throw invalid('labStateId', messages.invalid(labLabels.labStateId))
}

const withoutDerived = ({ id: _, labCode: __, labState: ___, labCountry: ____, version: _____, ...kept }: Lab) => kept

/** A right to sign can be granted only to a user whose role may see every order, and never by that user. */
export const addSigner = async (call: WriteCall, labId: number, input: SignerInput): Promise<{ id: number }> => {
  const { db, actor, requestId } = call
  await getLab(db, labId)
  if (input.userId === actor.userId) throw conflict('Nobody can grant the right to sign to themselves')
  const user = await lockUser(db, input.userId)
  const isEligible = user?.status === 'ACT' && (superAdmins as readonly string[]).includes(user.role)
  if (!isEligible)
    throw invalid('userId', `${signerLabels.userId} must be an active user of the laboratory (ADM, MGMT or STF)`)
  if ((await findUnknownDepartments(db, input.deptIds)).length > 0)
    throw invalid('deptIds', messages.invalid(signerLabels.deptIds))
  if (input.validTo !== null && input.validTo < input.validFrom)
    throw invalid('validTo', `${signerLabels.validTo} cannot be before ${signerLabels.validFrom}`)
  const id = await insertSigner(db, labId, input, actor.userId)
  await recordAudit(db, actor, requestId, {
    entity: 'lab_signer',
    entityId: id,
    action: 'CREATE',
    new: { labId, ...input },
  })
  return { id }
}

/** Changes the end of a right to sign. A later end extends it, which users cannot do for themselves. */
export const endSigner = async (
  call: WriteCall,
  { id: labId, signerId }: { id: number; signerId: number },
  { validTo, version }: { validTo: string; version?: number | undefined },
  expected: number | null,
): Promise<Signer> => {
  const { db, actor, requestId } = call
  await lockSigner(db, signerId)
  const before = await findSigner(db, labId, signerId)
  if (!before) throw notFound('Right to sign')
  await requireVersion(db, 'lab_signer', expected ?? version ?? null, before)
  if (validTo < before.validFrom)
    throw invalid('validTo', `${signerLabels.validTo} cannot be before ${signerLabels.validFrom}`)
  if (before.userId === actor.userId && before.validTo !== null && validTo > before.validTo)
    throw conflict('Nobody can grant the right to sign to themselves')
  await endSignerOn(db, signerId, validTo)
  await recordAudit(db, actor, requestId, {
    entity: 'lab_signer',
    entityId: signerId,
    action: 'UPDATE',
    old: { validTo: before.validTo },
    new: { validTo },
  })
  return (await findSigner(db, labId, signerId)) as Signer
}
