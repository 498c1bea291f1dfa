import { quickJumpRoutes } from '@lis/contract/quick-jump.ts'
import { implement } from '../../platform/http/implement.ts'
import { findRecords } from './service.ts'

export const quickJumpModule = implement(quickJumpRoutes, {
  find: async ({ db, actor, query, services, requestId }) => {
    const found = await findRecords(db, actor, query.q)
    services.accessLog.note(requestId, { reqIds: found.flatMap(({ requisitionId }) => requisitionId ?? []) })
    return { data: found.map(({ requisitionId: _, ...hit }) => hit), message: '' }
  },
})
