import { messages } from '@lis/contract/messages.ts'
import { patientChangeRoutes } from '@lis/contract/requisitions/patient-changes.ts'
import { implement } from '../../platform/http/implement.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { decidePatientChange, listPatientChanges } from './patient-changes.ts'

export const patientChangesModule = implement(patientChangeRoutes, {
  list: async ({ db, actor, params }) => {
    const { id } = await requireRequisition(db, actor, params.id)
    return { data: await listPatientChanges(db, id), message: '' }
  },
  decide: async (context) => {
    const { id, changeId } = context.params
    await decidePatientChange(context, id, changeId, context.body.isTaken === 1)
    return { message: messages.updated }
  },
})
