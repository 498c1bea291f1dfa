import { z } from 'zod'
import { isIsoDate } from './date-range.ts'

export const asOfMessage = 'asOf must be a date such as 2026-11-19'
export const asOfDescription = 'YYYY-MM-DD: what held at the end of that day in the zone of the laboratory.'

/** The query of a call that can answer for an earlier day. */
export const asOfQuery = z.object({
  asOf: z.string().refine(isIsoDate, asOfMessage).optional().meta({ description: asOfDescription }),
})
