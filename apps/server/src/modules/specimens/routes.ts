import { messages } from '@lis/contract/messages.ts'
import { specimenRoutes } from '@lis/contract/specimens.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { requireRequisition } from '../requisitions/queries.ts'
import { lifeLineOf } from './life-line.ts'
import { specimenList } from './queries.ts'
import { receiveSpecimen } from './service.ts'

export const specimensModule = implement(specimenRoutes, {
  list: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, specimenList(params.id), query)
  },
  create: async (context) => ({
    data: await receiveSpecimen(context, context.params.id, context.body),
    message: messages.created,
  }),
  lifeLine: async ({ db, actor, params }) => ({ data: await lifeLineOf(db, actor, params.id), message: '' }),
})
