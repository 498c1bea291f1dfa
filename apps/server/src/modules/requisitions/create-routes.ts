import { messages } from '@lis/contract/messages.ts'
import { requisitionCreateRoutes } from '@lis/contract/requisitions/create.ts'
import { implement } from '../../platform/http/implement.ts'
import { createRequisition, findPresets } from './create.ts'
import { followPatient } from './follow-record.ts'

export const requisitionCreateModule = implement(requisitionCreateRoutes, {
  presets: async ({ db, actor, query }) => ({ data: await findPresets(db, actor, query.clientId), message: '' }),
  create: async (context) => ({
    data: await createRequisition(context, context.body, {
      onPatientChanged: (before, after) => followPatient(context, before, after),
    }),
    message: messages.created,
  }),
})
