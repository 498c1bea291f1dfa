import { z } from 'zod'
import { list } from './kit/envelope.ts'
import { byId, get } from './kit/route.ts'
import { flag01 } from './validation.ts'

/** One result of the patient's SVDx test, with what was known of the patient on that order. */
export const serialResult = z.object({
  reqId: z.number().int(),
  /** 'N/A' where it could not be computed. */
  result: z.string(),
  processDate: z.iso.datetime({ offset: true }),
  isDiabetic: flag01.nullable(),
  isFamilyHistory: flag01.nullable(),
})
export type SerialResult = z.infer<typeof serialResult>

export const patientSerialRoutes = {
  serial: get('patients/:id/serial', {
    access: 'requisitionTabs.patientHistory',
    summary: "The patient's SVDx results over time, within the reader's scope; needs the right to see results",
    params: byId,
    reply: list(serialResult),
  }),
}
