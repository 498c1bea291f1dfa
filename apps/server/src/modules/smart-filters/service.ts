import { superAdmins } from '@lis/contract/access/roles.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import {
  maxSmartFilters,
  type SmartFilter,
  type SmartFilterChoice,
  type SmartFilterInput,
  type SmartFilterShares,
  type SmartFilterUpdate,
} from '@lis/contract/smart-filters.ts'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, forbidden, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import {
  findSmartFilter,
  hasMaxSmartFilters,
  insertSmartFilter,
  isNameTaken,
  listReceivers,
  lockSmartFilter,
  markDeleted,
  replaceShares,
  saveChoice,
  updateSmartFilter,
} from './queries.ts'

const entity = 'smart_filter'

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity, entityId: id, ...record })

export const createSmartFilter = async (call: WriteCall, input: SmartFilterInput): Promise<{ id: number }> => {
  const { db, actor } = call
  if (await hasMaxSmartFilters(db, actor.userId, input.smartScreen))
    throw conflict(`You have ${maxSmartFilters} smart views on this screen; please delete one first`)
  const created = await insertSmartFilter(db, actor.userId, input)
  if (!created) throw nameTaken()
  const { isDefault = false, isPinned = false } = input
  if (isDefault || isPinned)
    await saveChoice(db, actor.userId, { ...created, smartScreen: input.smartScreen, isDefault, isPinned })
  await audit(call, created.id, { action: 'CREATE', new: input })
  return created
}

export const removeSmartFilter = async (call: WriteCall, id: number) => {
  const before = await getOwn(call, id)
  await markDeleted(call.db, call.actor.userId, id)
  await audit(call, id, { action: 'DELETE', old: stored(before) })
}

/** By its owner. `isDefault` and `isPinned` are the owner's own choice. */
export const changeSmartFilter = async (
  call: WriteCall,
  id: number,
  { version = null, isDefault, isPinned, ...sent }: SmartFilterUpdate,
): Promise<SmartFilter> => {
  const { db, actor } = call
  await lockSmartFilter(db, actor.userId, id)
  const before = await getOwn(call, id)
  await requireVersion(db, entity, version, before)
  const next = mergeUpdate<SmartFilter>(before, sent)
  if (await isNameTaken(db, actor.userId, next)) throw nameTaken()
  await updateSmartFilter(db, next)
  if (isDefault !== undefined || isPinned !== undefined)
    await saveChoice(db, actor.userId, chosen(next, { isDefault, isPinned }))
  const after = await getVisible(db, actor, id)
  await audit(call, id, { action: 'UPDATE', old: stored(before), new: stored(after) })
  return after
}

/** Replaces whom the owner shares the view with. */
export const shareSmartFilter = async (
  call: WriteCall,
  id: number,
  shares: SmartFilterShares,
): Promise<SmartFilter> => {
  const { db, actor } = call
  await lockSmartFilter(db, actor.userId, id)
  const before = await getOwn(call, id)
  await requireReceivers(call, shares)
  await replaceShares(db, id, shares)
  const after = await getVisible(db, actor, id)
  const sharedWith = ({ roleCodes, userIds }: SmartFilter) => ({
    roleCodes: roleCodes.join(', '),
    userIds: userIds.join(', '),
  })
  await audit(call, id, { action: 'SHARE', old: sharedWith(before), new: sharedWith(after) })
  return after
}

/** Everyone who sees the view chooses for themselves. */
export const chooseSmartFilter = async (
  call: WriteCall,
  id: number,
  choice: SmartFilterChoice,
): Promise<SmartFilter> => {
  const { db, actor } = call
  const before = await getVisible(db, actor, id)
  await saveChoice(db, actor.userId, chosen(before, choice))
  const after = await getVisible(db, actor, id)
  const own = ({ isDefault, isPinned }: SmartFilter) => ({ isDefault, isPinned })
  await audit(call, id, { action: 'CHOOSE', old: own(before), new: own(after) })
  return after
}

/** Users outside the laboratory share with their own practice or company only: the values of a view can name a patient. */
const sharesWithEveryone = ({ role }: Pick<Actor, 'role'>) => (superAdmins as readonly string[]).includes(role)

export const listSmartFilterReceivers = (db: Db, actor: Actor) => listReceivers(db, actor, sharesWithEveryone(actor))

const requireReceivers = async ({ db, actor }: WriteCall, { roleCodes, userIds }: SmartFilterShares) => {
  if (roleCodes.length > 0 && !sharesWithEveryone(actor))
    throw invalid('roleCodes', 'You can share a view with people of your own practice or company, not with a role')
  const known = new Set((await listSmartFilterReceivers(db, actor)).map(({ id }) => id))
  const unknown = userIds.find((id) => id !== actor.userId && !known.has(id))
  if (unknown !== undefined) throw invalid('userIds', `You cannot share a view with user ${unknown}`)
}

const getVisible = async (db: Db, actor: Actor, id: number): Promise<SmartFilter> => {
  const found = await findSmartFilter(db, actor, id)
  if (!found) throw notFound('Smart filter')
  return found
}

const getOwn = async ({ db, actor }: WriteCall, id: number): Promise<SmartFilter> => {
  const found = await getVisible(db, actor, id)
  if (!found.isOwn) throw forbidden(`Only ${found.ownerName} can change this view. Save it as a new one instead.`)
  return found
}

const chosen = (view: SmartFilter, { isDefault = view.isDefault, isPinned = view.isPinned }: SmartFilterChoice) => ({
  ...view,
  isDefault,
  isPinned,
})

/** The audited fields of a view. */
const stored = ({ smartName, smartScreen, smartValues, sort, columns }: SmartFilter) => ({
  smartName,
  smartScreen,
  smartValues,
  ...(sort && { sort }),
  ...(columns && { columns }),
})

const nameTaken = () => conflict('Smart Filter Name is already used')
