import { quickJumpRoutes } from '@lis/contract/quick-jump.ts'
import { implement } from '../../platform/http/implement.ts'
import { findRecords } from './service.ts'

export const quickJumpModule = implement(quickJumpRoutes, {
  find: async ({ db, actor, query, services, requestId }) => {
    const found = await findRecords(db, actor, query.q)
    const requisitionIds = found.flatMap(({ requisitionId }) => requisitionId ?? [])
    if (requisitionIds.length > 0)
      services.accessLog.record({ userId: actor.userId, requestId, action: 'SEARCH', requisitionIds })
    return { data: found.map(({ requisitionId: _, ...hit }) => hit), message: '' }
  },
})
