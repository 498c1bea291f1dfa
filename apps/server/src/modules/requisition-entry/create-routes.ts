import { messages } from '@lis/contract/messages.ts'
import { patientMessages } from '@lis/contract/patients.ts'
import { requisitionCreateRoutes } from '@lis/contract/requisitions/create.ts'
import { implement } from '../../platform/http/implement.ts'
import { createRequisition, findOrderables, findPresets } from './create.ts'
import { propagatePatient } from './propagate-changes.ts'

export const requisitionCreateModule = implement(requisitionCreateRoutes, {
  presets: async ({ db, actor, query }) => ({ data: await findPresets(db, actor, query.clientId), message: '' }),
  tests: async ({ db }) => ({ data: await findOrderables(db), message: '' }),
  create: async (context) => {
    const { id, isForReview } = await createRequisition(context, context.body, {
      onPatientChanged: (before, after) => propagatePatient(context, before, after),
      questions: context.questions,
    })
    return {
      data: { id },
      message: isForReview ? `${messages.created}. ${patientMessages.forReview}` : messages.created,
    }
  },
})
