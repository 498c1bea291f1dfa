import { z } from 'zod'
import { one } from './kit/envelope.ts'
import { get, post } from './kit/route.ts'
import { optionalCode, optionalId, optionalText } from './validation.ts'

const scanKinds = ['REQUISITION', 'TUBE', 'SAMPLE', 'BOX'] as const

const id = z.number().int()

/** What the code of a label stands for. */
const scanCode = z.object({
  kind: z.enum(scanKinds),
  id,
  /** Null for a box. */
  reqId: id.nullable(),
  /** Its page in the web application. */
  href: z.string(),
  label: z.string(),
})
export type ScanCode = z.infer<typeof scanCode>

/** What a scan does, as chosen in the header, in the order shown. */
export const scanModes = {
  OPEN: 'Open',
  RECEIVE: 'Receive',
  PLACE: 'Place',
  FIND: 'Find',
  DISCARD: 'Discard',
  PULL: 'Pull',
} as const
export type ScanMode = keyof typeof scanModes

const code = z.string().trim().min(1).max(200)

const scanInput = z.object({
  code,
  mode: z
    .string()
    .trim()
    .toUpperCase()
    .pipe(z.enum(Object.keys(scanModes) as [ScanMode, ...ScanMode[]], { error: 'Invalid Scan mode' })),
  /** Of a received tube; without them those of its label, or of the only specimen that its tests need. */
  specimenTypeCode: optionalCode('Specimen Type'),
  temperatureTypeCode: optionalCode('Temperature'),
  containerTypeCode: optionalCode('Container'),
  /** The label of a received tube is on a second tube of the same kind. */
  isAnotherTube: z.boolean().default(false),
  /** Where a sample is placed: a slot, or the next free one of a box. */
  trackerId: optionalId('Slot'),
  boxCode: optionalText('Box', 200),
  specLocTypeCode: optionalCode('Specimen Type'),
  sampleSizeCode: optionalCode('Sample Size'),
})
export type ScanInput = z.output<typeof scanInput>

const scanOutcome = z.object({
  /** DONE, or why nothing was changed: a rule forbids it, or the code is unknown. */
  outcome: z.enum(['DONE', 'REFUSED', 'UNKNOWN']),
  message: z.string(),
  undoId: id.nullable(),
  kind: z.enum(scanKinds).nullable(),
  reqId: id.nullable(),
  /** The page of what was scanned. */
  href: z.string().nullable(),
  /** Refused because this label was received before; with `isAnotherTube` it is received again. */
  isReceivedBefore: z.boolean(),
})
export type ScanOutcome = z.infer<typeof scanOutcome>

export const scanRoutes = {
  scan: post('scans', {
    access: 'profile.own',
    patientData: true,
    summary: 'Does with a scanned label what the mode says; an unknown code changes nothing',
    body: scanInput,
    reply: one(scanOutcome).extend({ undoId: id.optional() }),
  }),
  code: get('scan_codes/:code', {
    access: 'profile.own',
    patientData: true,
    summary:
      'What a label stands for: an accession number, also with the suffix of a tube, a sample S-{id}, or a box B-{labId}-{freezer}-{shelf}-{rack}-{box}',
    params: z.object({ code }),
    reply: one(scanCode),
  }),
}
