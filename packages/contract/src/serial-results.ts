import { z } from 'zod'
import { list } from './kit/envelope.ts'
import { byId, get } from './kit/route.ts'
import { flag01 } from './validation.ts'

/** One result of the patient's SVDx test, with the patient's data of that order. */
const serialResult = z.object({
  reqId: z.number().int(),
  /** 'N/A' if it could not be computed. */
  result: z.string(),
  processDate: z.iso.datetime({ offset: true }),
  isDiabetic: flag01.nullable(),
  isFamilyHistory: flag01.nullable(),
})
export type SerialResult = z.infer<typeof serialResult>

export const patientSerialRoutes = {
  serial: get('patients/:id/serial', {
    access: 'requisitionTabs.patientHistory',
    summary: "The patient's SVDx results over time, in the user's scope; needs the permission to see results",
    params: byId,
    reply: list(serialResult),
  }),
}
