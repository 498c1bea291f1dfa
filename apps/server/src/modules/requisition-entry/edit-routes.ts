import { messages } from '@lis/contract/messages.ts'
import { patientMessages } from '@lis/contract/patients.ts'
import { requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { getPatient } from '../patients/service.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { findHistory, heightOf } from './clinical-history.ts'
import { copyRequisition } from './copy.ts'
import { updateRequisition } from './edit.ts'
import { findKeptIdentity } from './kept-identity.ts'
import { correctIdentity, showSsn, updateHeight, updateHistory, updatePatient } from './patient.ts'

export const requisitionEditModule = implement(requisitionEditRoutes, {
  update: async (context) => {
    const { params, body, request } = context
    const data = await updateRequisition(context, params.id, body, expectedVersion(request))
    const isStatus = body.reqStatusCode !== undefined
    return { data, message: isStatus ? messages.statusUpdated : messages.updated }
  },
  copy: async (context) => ({
    data: await copyRequisition(context, context.params.id, context.body ?? {}),
    message: messages.created,
  }),
  patient: async ({ db, actor, params }) => {
    const { id, patient_id: patientId } = await requireRequisition(db, actor, params.id)
    const [patient, history, kept] = await Promise.all([
      getPatient({ db }, patientId),
      findHistory(db, id),
      findKeptIdentity(db, id),
    ])
    return { data: { patient: { ...patient, ...heightOf(history) }, history, kept }, message: '' }
  },
  updatePatient: async (context) => {
    const { params, body, request } = context
    const { heightUom, heightInches, heightCm, ...sent } = body
    const { patient, isForReview } = await updatePatient(
      context,
      params.id,
      params.patientId,
      sent,
      expectedVersion(request),
    )
    const history = await updateHeight(context, params.id, { heightUom, heightInches, heightCm })
    return {
      data: { ...patient, ...heightOf(history) },
      message: isForReview ? patientMessages.forReview : messages.updated,
    }
  },
  correctIdentity: async (context) => {
    const { params, body, request } = context
    const { patient, isForReview } = await correctIdentity(
      context,
      params.id,
      params.patientId,
      body,
      expectedVersion(request),
    )
    return {
      data: { ...patient, ...heightOf(await findHistory(context.db, params.id)) },
      message: isForReview ? patientMessages.forReview : messages.updated,
    }
  },
  showSsn: async (context) => {
    const { id, patientId } = context.params
    return { data: { patientSsn: await showSsn(context, id, patientId) }, message: '' }
  },
  updateHistory: async (context) => {
    const { params, body, request } = context
    const data = await updateHistory(context, params.id, params.histId, body, expectedVersion(request))
    return { data, message: messages.updated }
  },
})
