import { z } from 'zod'
import { list, one } from './kit/envelope.ts'
import { get, idParam, post } from './kit/route.ts'
import { optionalCode, optionalId, optionalText, requiredId } from './validation.ts'

/** What can be written down while the server is down. */
export const downtimeKinds = { RECEIVED: 'Specimen received', RESULT: 'Result', NOTE: 'Note' } as const

export const downtimeMessages = {
  notSetUp: 'Set DOWNTIME_PASSWORD, with 12 characters or more, to have downtime kits made',
  notMade: 'No downtime kit has been made for this laboratory',
} as const

const time = z.iso.datetime({ offset: true })
const ofLab = z.object({ labId: idParam })

const kit = z.object({
  madeAt: time,
  /** Of the encrypted file, for five minutes. */
  url: z.string(),
})

const entry = z.object({
  /** Given where it was written down: the same entry is taken once. */
  entryId: z.string().trim().min(1, 'Entry ID is required').max(64),
  kind: z.enum(Object.keys(downtimeKinds) as [keyof typeof downtimeKinds], { error: 'Invalid Kind' }),
  reqId: requiredId('Req ID'),
  /** When it happened; now, if nothing was written down. */
  at: time.nullish(),
  specimenTypeCode: optionalCode('Specimen Type'),
  temperatureTypeCode: optionalCode('Temperature'),
  containerTypeCode: optionalCode('Container'),
  tubeCount: z.number().int().min(1).max(999).default(1),
  testCode: optionalText('Test', 40),
  result: optionalText('Result', 200),
  note: optionalText('Note', 2000),
  labNoteTypeId: optionalId('Type of Note'),
})
export type DowntimeEntry = z.output<typeof entry>

const catchUp = z.object({ entries: z.array(entry).min(1).max(1000) })

const outcome = z.object({
  entryId: z.string(),
  /** KNOWN: it was taken before, and nothing is changed. REFUSED: it can be corrected and sent again. */
  outcome: z.enum(['SAVED', 'KNOWN', 'REFUSED']),
  message: z.string(),
  reqId: z.number().int(),
})
export type CatchUpOutcome = z.infer<typeof outcome>

export const downtimeRoutes = {
  kit: get('labs/:labId/downtime_kit', {
    access: 'downtime.use',
    patientData: true,
    summary: 'The last downtime kit of the laboratory',
    params: ofLab,
    reply: one(kit),
  }),
  make: post('labs/:labId/downtime_kit', {
    access: 'downtime.use',
    patientData: true,
    makesFile: true,
    summary: 'Makes the downtime kit of the laboratory now',
    params: ofLab,
    reply: one(kit),
  }),
  catchUp: post('labs/:labId/catch_up', {
    access: 'downtime.use',
    summary: 'Takes what was written down while the server was down, each entry once',
    params: ofLab,
    body: catchUp,
    reply: list(outcome),
  }),
}
