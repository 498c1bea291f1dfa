import { z } from 'zod'
import { download } from './kit/envelope.ts'
import { post } from './kit/route.ts'
import { messages } from './messages.ts'
import { optionalCode, requiredId } from './validation.ts'

export const qualityMonthRoutes = {
  print: post('qc_months/print', {
    access: 'qc.read',
    summary:
      'Quality control of an instrument in a month as PDF for the signature of the director: charts, statistics, rejected runs, actions',
    makesFile: true,
    body: z.object({
      instrumentId: requiredId('Instrument'),
      /** Null for every test of the instrument. */
      testCode: optionalCode('Test Code'),
      month: z
        .string({ error: messages.required('Month') })
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/, messages.invalid('Month')),
    }),
    reply: download,
  }),
}
