import { messages } from '@lis/contract/messages.ts'
import { specimenHints, specimenRoutes } from '@lis/contract/specimens.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { correctSpecimen } from './correct.ts'
import { readLifeLine } from './life-line.ts'
import { listNeededSpecimens, specimenList } from './queries.ts'
import { receiveSpecimen } from './service.ts'

export const specimensModule = implement(specimenRoutes, {
  list: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, specimenList(params.id, await listNeededSpecimens(db, params.id)), query)
  },
  create: async (context) => {
    const { db, params, body } = context
    const data = await receiveSpecimen(context, params.id, body)
    const hints = specimenHints(body, await listNeededSpecimens(db, params.id))
    return { data, message: hints.length === 0 ? messages.created : [`${messages.created}.`, ...hints].join(' ') }
  },
  correct: async (context) => ({
    data: await correctSpecimen(context, context.params, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  needed: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listNeededSpecimens(db, params.id), message: '' }
  },
  lifeLine: async ({ db, actor, params }) => ({ data: await readLifeLine(db, actor, params.id), message: '' }),
})
