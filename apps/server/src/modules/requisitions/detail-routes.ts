import { requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import { notFound } from '../../platform/http/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { findRequisition } from './queries.ts'

export const requisitionDetailModule = implement(requisitionDetailRoutes, {
  one: async ({ db, actor, params, services, requestId }) => {
    const data = await findRequisition(db, actor, params.id)
    if (!data) throw notFound('Requisition')
    services.accessLog.record({
      userId: actor.userId,
      requestId,
      action: 'OPEN',
      requisitionId: data.id,
      patientId: data.patientId,
    })
    return { data, message: '' }
  },
})
