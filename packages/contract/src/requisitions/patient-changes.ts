import { z } from 'zod'
import { done, list } from '../kit/envelope.ts'
import { byId, get, idParam, put } from '../kit/route.ts'
import { flag01 } from '../validation.ts'

/** A partner's request to change the identity of a patient shared with others. */
const patientChange = z.object({
  id: z.number().int(),
  requestedBy: z.string(),
  requestDate: z.iso.datetime({ offset: true }),
  fields: z.array(
    z.object({ field: z.string(), label: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
})
export type PatientChange = z.infer<typeof patientChange>

export const patientChangeRoutes = {
  list: get('requisitions/:id/patient_changes', {
    access: 'patients.review',
    summary: 'Open requests of partners to change the patient',
    params: byId,
    reply: list(patientChange),
  }),
  decide: put('requisitions/:id/patient_changes/:changeId', {
    access: 'patients.review',
    summary: 'Applies the change to the patient record, or refuses it',
    params: byId.extend({ changeId: idParam }),
    body: z.object({ isTaken: flag01 }),
    reply: done,
  }),
}
