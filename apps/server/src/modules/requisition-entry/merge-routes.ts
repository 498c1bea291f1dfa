import { mergeMessages, patientMergeRoutes } from '@lis/contract/patient-merges.ts'
import { implement } from '../../platform/http/implement.ts'
import { requirePatientInScope } from '../requisition-record/queries.ts'
import { listMerges, mergePatients, undoMerge } from './merge-patients.ts'

export const patientMergesModule = implement(patientMergeRoutes, {
  merge: async (context) => {
    const { body, services, requestId } = context
    const data = await mergePatients(context, body)
    services.accessLog.note(requestId, { patientIds: [body.keepId, body.goneId], reqIds: data.reqIds })
    return { data, message: body.dryRun ? '' : mergeMessages.merged }
  },
  undo: async (context) => ({
    data: await undoMerge(context, context.params.id),
    message: mergeMessages.undone,
  }),
  ofPatient: async ({ db, actor, params }) => {
    const patientId = await requirePatientInScope(db, actor, params.id)
    return { data: await listMerges(db, patientId), message: '' }
  },
})
