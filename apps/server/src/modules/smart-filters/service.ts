import { maxSmartFilters, type SmartFilterInput } from '@lis/contract/smart-filters.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findSmartFilter, hasMaxSmartFilters, insertSmartFilter, markDeleted } from './queries.ts'

export const createSmartFilter = async (
  { db, actor, requestId }: WriteCall,
  input: SmartFilterInput,
): Promise<{ id: number }> => {
  if (await hasMaxSmartFilters(db, actor.userId, input.smartScreen))
    throw conflict(`You have ${maxSmartFilters} smart views on this screen; please delete one first`)
  const created = await insertSmartFilter(db, actor.userId, input)
  if (!created) throw conflict('Smart Filter Name is already used')
  await recordAudit(db, actor, requestId, {
    entity: 'smart_filter',
    entityId: created.id,
    action: 'CREATE',
    new: input,
  })
  return created
}

export const removeSmartFilter = async ({ db, actor, requestId }: WriteCall, id: number) => {
  const before = await findSmartFilter(db, actor.userId, id)
  if (!before) throw notFound('Smart filter')
  await markDeleted(db, actor.userId, id)
  await recordAudit(db, actor, requestId, { entity: 'smart_filter', entityId: id, action: 'DELETE', old: before })
}
