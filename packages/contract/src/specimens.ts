import { z } from 'zod'
import { list, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get, idParam, post, put, repeatWindowMs } from './kit/route.ts'
import type { LovType } from './lookups.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { dayPart, hoursPart, minutesPart, monthPart, required, requiredCode, yearPart } from './validation.ts'

/** One label per field: messages, table headers and forms read it. */
export const specimenLabels = {
  specimenTypeCode: 'Specimen Type',
  temperatureTypeCode: 'Temperature',
  containerTypeCode: 'Container',
  tubeCount: 'Number of Tubes',
  dateReceivedMonth: 'Received Month',
  dateReceivedDay: 'Received Day',
  dateReceivedYear: 'Received Year',
  timeReceivedHours: 'Received Hours',
  timeReceivedMinutes: 'Received Minutes',
  timeReceivedAmPm: 'Time of day',
  dateReceived: 'Date/Time Received',
  specCreateByUsername: 'Received By',
  reason: 'Reason for the correction',
} as const

/** The columns of the table whose heading is not the label of the form. */
export const specimenColumnLabels = { tubeCount: 'Tubes' } as const

export const specimenCodes = {
  specimenTypeCode: 'SPECIMENTYPE',
  temperatureTypeCode: 'TEMPERATURETYPE',
  containerTypeCode: 'CONTAINERTYPE',
} as const satisfies Record<string, LovType>

export const specimenMessages = {
  tooFewTubes: 'Number of Tubes must be at least 1',
  inFuture: 'The received date and time cannot be in the future',
  beforeCollection: 'The received date and time cannot be before the collection',
} as const

// ── bar codes ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** What stands behind the number on the fifth and the sixth label. */
export const labelSuffixes = ['S', 'DP'] as const
export type LabelSuffix = (typeof labelSuffixes)[number]

export interface ScannedCode {
  reqId: number
  suffix: LabelSuffix | null
}

/** What a scanner types from a label of ours: the accession number, with or without suffix; null for anything else. */
export const parseScannedCode = (text: string): ScannedCode | null => {
  const [, digits, suffix] = /^#?(\d{1,15})(S|DP)?$/i.exec(text.trim()) ?? []
  if (digits === undefined || Number(digits) === 0) return null
  return { reqId: Number(digits), suffix: (suffix?.toUpperCase() as LabelSuffix | undefined) ?? null }
}

/** The receipt that a scan begins: the tubes with a suffix are serum. */
export const scannedReceipt = ({ suffix }: ScannedCode): Partial<Record<keyof typeof specimenCodes, string>> =>
  suffix === null ? {} : { specimenTypeCode: 'SERUM', containerTypeCode: 'SST' }

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const label = specimenLabels

const tubeCount = z
  .union([z.string(), z.number()], { error: messages.required(label.tubeCount) })
  .transform((value, context) => {
    const text = String(value).trim()
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (text === '') return refuse(messages.required(label.tubeCount))
    if (!/^-?\d{1,6}$/.test(text)) return refuse(messages.invalid(label.tubeCount))
    if (Number(text) > 999) return refuse(`${label.tubeCount} must be at most 999`)
    return Number(text) >= 1 ? Number(text) : refuse(specimenMessages.tooFewTubes)
  })

const receivedParts = {
  dateReceivedMonth: monthPart(label.dateReceivedMonth),
  dateReceivedDay: dayPart(label.dateReceivedDay),
  dateReceivedYear: yearPart(label.dateReceivedYear),
  timeReceivedHours: hoursPart(label.timeReceivedHours),
  timeReceivedMinutes: minutesPart(label.timeReceivedMinutes),
  timeReceivedAmPm: z
    .string({ error: messages.required(label.timeReceivedAmPm) })
    .trim()
    .toLowerCase()
    .pipe(z.enum(['am', 'pm'], { error: messages.required(label.timeReceivedAmPm) })),
}
export type ReceivedParts = { [K in keyof typeof receivedParts]: z.output<(typeof receivedParts)[K]> }

const specimenFields = z.object({
  specimenTypeCode: requiredCode(label.specimenTypeCode),
  temperatureTypeCode: requiredCode(label.temperatureTypeCode),
  containerTypeCode: requiredCode(label.containerTypeCode),
  tubeCount: tubeCount.default(1),
})

/** What the form checks before it sends: date and time are there, in the laboratory's zone. */
export const specimenForm = specimenFields.extend(receivedParts)
export type SpecimenForm = z.output<typeof specimenForm>

const partNames = Object.keys(receivedParts) as (keyof ReceivedParts)[]

/** A receipt; without any part of date and time it is received now. */
export const specimenInput = specimenFields.extend(updateFields(receivedParts)).superRefine((input, context) => {
  const missing = partNames.filter((name) => input[name] === undefined)
  if (missing.length === partNames.length) return
  for (const name of missing)
    context.addIssue({ code: 'custom', path: [name], message: messages.required(label[name]) })
})
export type SpecimenInput = z.output<typeof specimenInput>

/** A receipt that was written down wrongly, and why; without any part of date and time its moment stays. */
export const specimenCorrection = specimenInput.safeExtend({ reason: required(label.reason, 1000) })
export type SpecimenCorrection = z.output<typeof specimenCorrection>

// ── hints ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Containers that hold whatever was poured into them. */
const anyHolds = ['TRANS', 'CRYO']
/** What each specimen is collected in. A type or container of the laboratory's own is not judged. */
const containersOf: Readonly<Record<string, readonly string[]>> = {
  SERUM: ['SST', 'RED'],
  EDTAPLASMA: ['LAV', 'PPT'],
  EDTAWB: ['LAV'],
  HEPPLASMA: ['GRN'],
  CITPLASMA: ['BLU'],
  DBS: ['DBSCARD'],
  NASALSWAB: ['SWAB'],
  NPSWAB: ['SWAB'],
  SALIVA: ['CUP'],
  URINE: ['CUP'],
}
const knownContainers = new Set(Object.values(containersOf).flat())

/** An ordered test, and the specimen types that it can be done from; none said means any. */
export const neededSpecimen = z.object({ testCode: z.string(), specimenTypeCodes: z.array(z.string()) })
export type NeededSpecimen = z.infer<typeof neededSpecimen>

/** What looks wrong about a receipt. It is said, and never refused: the tube is there. */
export const specimenHints = (
  { specimenTypeCode: type, containerTypeCode: container }: { specimenTypeCode?: unknown; containerTypeCode?: unknown },
  needed: readonly NeededSpecimen[],
): string[] => {
  if (typeof type !== 'string' || type === '') return []
  const isDoneFrom = ({ specimenTypeCodes: types }: NeededSpecimen) => types.length === 0 || types.includes(type)
  const fits = containersOf[type]
  const isOdd = fits && !fits.includes(String(container)) && knownContainers.has(String(container))
  return [
    ...(isOdd && !anyHolds.includes(String(container)) ? ['This container is not one for this specimen type.'] : []),
    ...(needed.length > 0 && !needed.some(isDoneFrom)
      ? [`None of the ordered tests is done from this specimen type: ${needed.map((one) => one.testCode).join(', ')}.`]
      : []),
  ]
}

// ── records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

export const specimen = z.object({
  id,
  specimenTypeCode: z.string(),
  specimenTypeDesc: z.string(),
  temperatureTypeCode: z.string(),
  temperatureTypeDesc: z.string(),
  containerTypeCode: z.string(),
  containerTypeDesc: z.string(),
  tubeCount: z.number().int(),
  dateReceived: time,
  /** The zone of the laboratory that received it. */
  receivedTz: z.string(),
  specCreateByUsername: text,
  /** What looks wrong about it: `specimenHints`. */
  hints: z.array(z.string()),
  version: id,
})
export type Specimen = z.infer<typeof specimen>

/** What can happen to a sample, in the order it usually does. */
export const sampleEventKinds = [
  'COLLECTED',
  'LOGGED',
  'RECEIVED',
  'LABELLED',
  'ORDERED',
  'STATUS',
  'PLACED',
  'RESULTED',
  'DISCARDED',
] as const

/** One thing that happened to the samples of a requisition. */
export const sampleEvent = z.object({
  /** Its place in the life line; not a number of any table. */
  id,
  kind: z.enum(sampleEventKinds),
  at: time,
  zone: z.string(),
  title: z.string(),
  detail: text,
  byName: text,
  /** The sample it happened to, where it is one of several. */
  specimenId: id.nullable(),
})
export type SampleEvent = z.infer<typeof sampleEvent>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const listed = listQuery({
  sort: ['id', 'specimenTypeDesc', 'temperatureTypeDesc', 'containerTypeDesc', 'tubeCount', 'dateReceived'],
  filter: ['id', 'specimenTypeCode'],
  defaultPerPage: -1,
})

export const specimenRoutes = {
  list: get('requisitions/:id/specimens', {
    access: 'requisitionTabs.specimens',
    params: byId,
    query: listed,
    reply: page(specimen),
  }),
  create: post('requisitions/:id/specimens', {
    access: 'specimens.add',
    summary: 'Receives a specimen; the parts of date and time are in the zone of the laboratory',
    params: byId,
    body: specimenInput,
    repeatsWithinMs: repeatWindowMs,
    reply: newId,
  }),
  correct: put('requisitions/:id/specimens/:specimenId', {
    access: 'specimens.add',
    summary: 'Corrects a receipt, with a reason that the history keeps',
    params: byId.extend({ specimenId: idParam }),
    body: specimenCorrection,
    reply: one(z.object({ id, version: id })),
  }),
  needed: get('requisitions/:id/specimens/needed', {
    access: 'specimens.add',
    summary: 'The specimen types that each ordered test can be done from',
    params: byId,
    reply: list(neededSpecimen),
  }),
  lifeLine: get('requisitions/:id/specimens/life_line', {
    access: 'requisitionTabs.specimens',
    summary: 'Everything that happened to the samples of a requisition, from collection to discard',
    params: byId,
    reply: list(sampleEvent),
  }),
}
