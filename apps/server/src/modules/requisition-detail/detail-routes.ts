import { requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import { notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { findRequisition } from './queries.ts'

export const requisitionDetailModule = implement(requisitionDetailRoutes, {
  one: async ({ db, actor, params }) => {
    const data = await findRequisition(db, actor, params.id)
    if (!data) throw notFound('Requisition')
    return { data, message: '' }
  },
})
