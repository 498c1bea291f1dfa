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

/** Table columns whose heading differs from the form label. */
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

/** The suffixes of the fifth and the sixth label. */
export const labelSuffixes = ['S', 'DP'] as const
type LabelSuffix = (typeof labelSuffixes)[number]

export interface ScannedCode {
  reqId: number
  suffix: LabelSuffix | null
}

/** The text of a scanned label: the accession number, with or without suffix; null for anything else. */
export const parseScannedCode = (text: string): ScannedCode | null => {
  const [, digits, suffix] = /^#?(\d{1,15})(S|DP)?$/i.exec(text.trim()) ?? []
  if (digits === undefined || Number(digits) === 0) return null
  return { reqId: Number(digits), suffix: (suffix?.toUpperCase() as LabelSuffix | undefined) ?? null }
}

/** What names a sample: its own code (`S-17`), or the label of its requisition. */
export const parseSampleCode = (text: string): { locationId: number } | { reqId: number } | null => {
  const [, id] = /^S-(\d{1,15})$/i.exec(text.trim()) ?? []
  if (id !== undefined) return { locationId: Number(id) }
  const label = parseScannedCode(text)
  return label && { reqId: label.reqId }
}

/** Preset values of a receipt after a scan: tubes with a suffix are serum. */
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

const receiptFields = {
  specimenTypeCode: requiredCode(label.specimenTypeCode),
  temperatureTypeCode: requiredCode(label.temperatureTypeCode),
  containerTypeCode: requiredCode(label.containerTypeCode),
  tubeCount,
}
const specimenFields = z.object({ ...receiptFields, tubeCount: tubeCount.default(1) })

/** The form: date and time are required, in the laboratory's time zone. */
export const specimenForm = specimenFields.extend(receivedParts)

const partNames = Object.keys(receivedParts) as (keyof ReceivedParts)[]

const wholeMoment = (input: { [name in keyof ReceivedParts]?: unknown }, context: z.RefinementCtx) => {
  const missing = partNames.filter((name) => input[name] === undefined)
  if (missing.length === partNames.length) return
  for (const name of missing)
    context.addIssue({ code: 'custom', path: [name], message: messages.required(label[name]) })
}

/** A receipt; without date and time it is received now. */
export const specimenInput = specimenFields.extend(updateFields(receivedParts)).superRefine(wholeMoment)
export type SpecimenInput = z.output<typeof specimenInput>

/** A correction of a receipt, with its reason; what is not sent stays unchanged. */
const specimenCorrection = z
  .object({ ...updateFields(receiptFields), ...updateFields(receivedParts), reason: required(label.reason, 1000) })
  .superRefine(wholeMoment)
export type SpecimenCorrection = z.output<typeof specimenCorrection>

// ── hints ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Containers for any specimen type. */
const anyHolds = ['TRANS', 'CRYO']
/** The usual containers of each specimen type. Custom types and containers are not checked. */
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

/** The container that a specimen type usually comes in. */
export const usualContainer = (specimenTypeCode: string): string | undefined => containersOf[specimenTypeCode]?.[0]

const knownContainers = new Set(Object.values(containersOf).flat())

/** An ordered test and its accepted specimen types; an empty list means any. */
const neededSpecimen = z.object({ testCode: z.string(), specimenTypeCodes: z.array(z.string()) })
export type NeededSpecimen = z.infer<typeof neededSpecimen>

/** Warnings about a receipt. They never refuse it, because the tube has arrived. */
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

const specimen = z.object({
  id,
  specimenTypeCode: z.string(),
  specimenTypeDesc: z.string(),
  temperatureTypeCode: z.string(),
  temperatureTypeDesc: z.string(),
  containerTypeCode: z.string(),
  containerTypeDesc: z.string(),
  tubeCount: z.number().int(),
  dateReceived: time,
  /** The time zone of the receiving laboratory. */
  receivedTz: z.string(),
  specCreateByUsername: text,
  /** See `specimenHints`. */
  hints: z.array(z.string()),
  version: id,
})
export type Specimen = z.infer<typeof specimen>

/** The events of a sample, in their usual order. */
const sampleEventKinds = [
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

/** An event of a requisition's samples. */
const sampleEvent = z.object({
  /** The position in the list, not a database id. */
  id,
  kind: z.enum(sampleEventKinds),
  at: time,
  zone: z.string(),
  title: z.string(),
  detail: text,
  byName: text,
  /** The sample concerned, if there are several. */
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
    summary: 'Receives a specimen; date and time are in the time zone of the laboratory',
    params: byId,
    body: specimenInput,
    repeatsWithinMs: repeatWindowMs,
    reply: newId,
  }),
  correct: put('requisitions/:id/specimens/:specimenId', {
    access: 'specimens.add',
    summary: 'Corrects a receipt, with a reason recorded in the history',
    params: byId.extend({ specimenId: idParam }),
    body: specimenCorrection,
    reply: one(z.object({ id, version: id })),
  }),
  needed: get('requisitions/:id/specimens/needed', {
    access: 'specimens.add',
    summary: 'The accepted specimen types of each ordered test',
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
