import { z } from 'zod'
import { bulkIds } from './kit/bulk.ts'
import { done, exported, list, one, page, undoable } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post, put } from './kit/route.ts'
import { boxOption, freezerOption, type LovType, rackOption, shelfOption } from './lookups.ts'
import { messages } from './messages.ts'
import { optionalId, required, requiredCode, requiredId } from './validation.ts'

// Sample storage: the locations of one requisition, the freezers of a laboratory, and the requisition of a slot.

/** One label per field: messages, table headers and forms read it. */
export const locationLabels = {
  status: 'Status',
  specLocTypeCode: 'Specimen Type',
  sampleSizeCode: 'Aliquot/Container',
  aliquot: 'Aliquot',
  sampleStorageCode: 'Freezer',
  shelf: 'Shelf',
  rack: 'Rack',
  box: 'Box',
  slot: 'Slot',
  placedDate: 'Placed Date',
  placedByUsername: 'Placed By',
  discardDate: 'Discard Date',
  discardByUsername: 'Discard By',
  trackerIds: 'Locations',
  specimenId: 'Specimen',
  samples: 'Samples',
  dueDate: 'Due',
  retentionDays: 'Days',
} as const

export const freezerSpecLabels = {
  reqId: 'Req id',
  clientName: 'Client',
  physName: 'Physician',
  patientName: 'Patient Name',
  dateCollected: 'Date Collected',
  dateReceived: 'Date Received',
} as const

export const locationCodes = {
  specLocTypeCode: 'SPECLOCTYPE',
  sampleSizeCode: 'SAMPLESIZE',
} as const satisfies Record<string, LovType>

export const locationMessages = {
  discard: (count: number) => `Are you sure you want to discard ${count} specimen location(s)?`,
  taken: (slots: readonly string[]) =>
    slots.length === 1
      ? `Slot ${slots[0]} has just been taken by someone else`
      : `Slots ${slots.join(', ')} have just been taken by someone else`,
  /** Placed by a call whose reply was lost, or by another user. */
  takenByOwn: (slot: string, reqId: number) =>
    `Slot ${slot} has a sample of #${reqId} by now: remove it here if it is this one`,
  otherLab: 'Only slots of the laboratory of the requisition can be chosen',
  unknownSample: (reqId: number) => `Requisition #${reqId} not found`,
  sampleOfOtherLab: (reqId: number, lab: string) => `Requisition #${reqId} belongs to ${lab}`,
  boxFull: 'There is no free slot left for it in this box',
} as const

/** 'D4' */
export const slotName = ({ rowLetter, slot }: { rowLetter: string; slot: number }) => `${rowLetter}${slot}`

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const label = locationLabels
/** More than any box holds. */
const mostAliquots = 1300

const aliquot = z
  .union([z.string(), z.number()], { error: messages.required(label.aliquot) })
  .transform((value, context) => {
    const text = String(value).trim()
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (text === '') return refuse(messages.required(label.aliquot))
    const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
    return count >= 1 && count <= mostAliquots ? count : refuse(messages.invalid(label.aliquot))
  })

/** The form without the slots. */
export const locationForm = z.object({
  specLocTypeCode: requiredCode(label.specLocTypeCode),
  sampleSizeCode: requiredCode(label.sampleSizeCode),
  /** The number of samples, each in a separate slot. */
  aliquot: aliquot.default(1),
})

export const locationInput = locationForm
  .extend({
    trackerIds: z
      .array(requiredId(label.trackerIds), { error: messages.required(label.trackerIds) })
      .max(mostAliquots, messages.invalid(label.trackerIds))
      .transform((ids) => [...new Set(ids)]),
    /** The tube they come from; determined automatically if only one matches. */
    specimenId: optionalId(label.specimenId),
  })
  .superRefine(({ aliquot: count, trackerIds }, context) => {
    if (trackerIds.length !== count)
      context.addIssue({ code: 'custom', path: ['trackerIds'], message: messages.locationCount(count) })
  })
export type LocationInput = z.output<typeof locationInput>

/** The form values common to all samples of a box. */
export const fillForm = locationForm.omit({ aliquot: true })

const sampleInSlot = z.object({ reqId: requiredId(freezerSpecLabels.reqId), trackerId: requiredId(label.slot) })

/** Many samples into one box, each in a separate slot. */
const fillInput = fillForm
  .extend({
    samples: z
      .array(sampleInSlot, { error: messages.required(label.samples) })
      .min(1, messages.required(label.samples))
      .max(mostAliquots, messages.invalid(label.samples)),
  })
  .superRefine(({ samples }, context) => {
    const slots = new Set(samples.map(({ trackerId }) => trackerId))
    if (slots.size < samples.length)
      context.addIssue({ code: 'custom', path: ['samples'], message: messages.locationCount(samples.length) })
  })
export type FillInput = z.output<typeof fillInput>

const scannedCode = z.object({
  /** Of a sample (`S-{id}`) or of a requisition, with or without the suffix of its label. */
  code: z.string().trim().min(1).max(40),
  /** The slot it was scanned in, where the scanner knows it. */
  trackerId: z.number().int().positive().nullish(),
})
const reconcileInput = z.object({
  codes: z.array(scannedCode).max(mostAliquots, messages.invalid(label.samples)),
  dryRun: z.boolean().default(false),
  /** As returned by the dry run: a box that has changed since is not corrected. */
  boxVersion: z.number().int().nullish(),
})
export type ReconcileInput = z.output<typeof reconcileInput>

const daysRule = `${locationLabels.retentionDays} must be a whole number from 1 to 36,500`
export const retentionRule = z.object({
  specLocTypeCode: requiredCode(label.specLocTypeCode),
  days: z
    .union([z.number(), z.string().trim().min(1, daysRule)], { error: messages.required(locationLabels.retentionDays) })
    .transform(Number)
    .pipe(z.int(daysRule).min(1, daysRule).max(36_500, daysRule)),
})
export type RetentionRule = z.infer<typeof retentionRule>
const retentionRules = z
  .array(retentionRule)
  .max(100)
  .refine(
    (rules) => new Set(rules.map(({ specLocTypeCode }) => specLocTypeCode)).size === rules.length,
    'A specimen type has one rule',
  )

export const discardReason = z.object({ reason: required('Reason', 500) })
const discardInput = discardReason.extend({
  ids: z
    .array(requiredId(label.samples), { error: messages.required(label.samples) })
    .min(1, messages.required(label.samples))
    .max(mostAliquots, messages.invalid(label.samples))
    .transform((ids) => [...new Set(ids)]),
  dryRun: z.boolean().default(false),
})
export type DiscardInput = z.output<typeof discardInput>

// ── records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

/** The address of a slot. */
const slotAddress = z.object({
  sampleStorageCode: z.string(),
  sampleStorageDesc: z.string(),
  shelf: z.string(),
  rack: z.string(),
  box: z.string(),
  rowLetter: z.string(),
  slot: z.number().int(),
})

const specLocation = slotAddress.extend({
  id,
  status: z.enum(['Placed', 'Discard']),
  specLocTypeCode: z.string(),
  specLocTypeDesc: z.string(),
  sampleSizeCode: text,
  sampleSizeDesc: text,
  /** The number of the sample among those placed together. */
  aliquot: z.number().int(),
  placedDate: time,
  placedByUsername: text,
  discardDate: time.nullable(),
  discardByUsername: text,
  /** The current or former slot, in the form that placing takes. */
  trackerIds: z.array(id),
  specimenId: id.nullable(),
  labTz: z.string(),
})
export type SpecLocation = z.infer<typeof specLocation>

/** A free slot; `trackerId` is what placing takes. */
const emptyStorage = slotAddress.extend({ trackerId: id })
export type EmptyStorage = z.infer<typeof emptyStorage>

const storageSpace = z.object({
  code: z.string(),
  description: z.string(),
  freeCount: z.number().int(),
  slotCount: z.number().int(),
})
const freezerSpace = freezerOption.extend(storageSpace.shape)
const shelfSpace = shelfOption.extend(storageSpace.shape)
const rackSpace = rackOption.extend(storageSpace.shape)
const boxSpace = boxOption.extend(storageSpace.shape)
/** A freezer, shelf, rack or box with its free slots. */
export type StorageSpace = z.infer<typeof storageSpace>

/** A box with its slots, as drawn on the screen. */
const freezerBox = z.object({
  rowCount: z.number().int(),
  columnCount: z.number().int(),
  slots: z.array(z.object({ trackerId: id, rowLetter: z.string(), slot: z.number().int(), reqId: id.nullable() })),
  lastPlacedDate: time.nullable(),
  lastPlacedByUsername: text,
  labTz: z.string(),
})
export type FreezerBox = z.infer<typeof freezerBox>
export type BoxSlot = FreezerBox['slots'][number]

/** The requisition of a scanned label, before the sample is placed. */
const scannedSample = z.object({
  reqId: id,
  /** Empty if the requisition does not exist or is not visible to the user. */
  patientName: z.string(),
  patientDob: z.iso.date().nullable(),
  /** How many samples of the requisition are already stored. */
  placedCount: z.number().int(),
  /** Why it cannot be stored in this laboratory. */
  reason: text,
})
export type ScannedSample = z.infer<typeof scannedSample>

/** A slot and the sample in it. */
const freezerSpec = slotAddress.extend({
  id,
  /** Freezer names are unique per laboratory only. */
  labName: z.string(),
  reqId: id,
  clientId: id,
  clientName: z.string(),
  physId: id,
  physName: z.string(),
  patientFirstName: z.string(),
  patientLastName: z.string(),
  dateCollected: time,
  collectedTz: z.string(),
  collectedTzAbbr: z.string(),
  dateReceived: time.nullable(),
  labTz: z.string(),
  labTzAbbr: z.string(),
})
export type FreezerSpec = z.infer<typeof freezerSpec>

const foundSample = z.object({
  code: z.string(),
  reqId: id,
  trackerId: id.nullable(),
  /** Where it is recorded; null for one that is recorded nowhere. */
  recordedAt: text,
})
const reconcileOutcome = z.object({
  boxVersion: id,
  matched: z.array(foundSample),
  /** Recorded here and not scanned. */
  missing: z.array(foundSample),
  /** Scanned, and recorded elsewhere or nowhere. */
  extra: z.array(foundSample),
  /** Scanned in another slot of this box. */
  misplaced: z.array(foundSample),
})
export type ReconcileOutcome = z.infer<typeof reconcileOutcome>

/** A sample that has been kept as long as the rule of its type says. */
const dueSample = slotAddress.omit({ sampleStorageDesc: true }).extend({
  id,
  reqId: id,
  specLocTypeCode: z.string(),
  specLocTypeDesc: z.string(),
  placedDate: time,
  dueDate: time,
  days: id,
  trackerId: id,
  labTz: z.string(),
})
export type DueSample = z.infer<typeof dueSample>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const ofLab = z.object({ labId: idParam })
const name = z.string().min(1).max(100)
const ofFreezer = ofLab.extend({ freezer: name })
const ofShelf = ofFreezer.extend({ shelf: name })
const ofRack = ofShelf.extend({ rack: name })
const ofBox = ofRack.extend({ box: name })
export type BoxAddress = z.infer<typeof ofBox>

const freezers = 'labs/:labId/dd_freezer'
const shelves = `${freezers}/:freezer/dd_shelf`
const racks = `${shelves}/:shelf/dd_rack`
const boxes = `${racks}/:rack/dd_box`

const toBox = z.object({ labId: requiredId('Lab'), freezer: name, shelf: name, rack: name, box: name })
export const boxAddressLabels = {
  freezer: locationLabels.sampleStorageCode,
  shelf: locationLabels.shelf,
  rack: locationLabels.rack,
  box: locationLabels.box,
} as const
const boxMove = { access: 'specimens.place', reply: undoable(z.object({ boxCount: id })) } as const

const rooms = listQuery({ sort: ['code', 'freeCount'], filter: ['code'], defaultPerPage: -1 })
const access = 'requisitionTabs.locations' as const

export const specLocationRoutes = {
  list: get('requisitions/:id/spec_locs', {
    access,
    params: byId,
    query: listQuery({ sort: ['id', 'placedDate', 'discardDate'], filter: ['id', 'status'], defaultPerPage: -1 }),
    reply: page(specLocation),
  }),
  place: post('requisitions/:id/spec_locs', {
    access: 'specimens.place',
    summary: 'Places as many samples as `aliquot` says, all or none; 409 names the slots that are taken by now',
    params: byId,
    body: locationInput,
    reply: undoable(z.object({ ids: z.array(id) })),
  }),
  discard: del('requisitions/:id/spec_locs/bulk_discard', {
    access: 'specimens.place',
    summary: 'Frees the slots; the rows stay with their discard date',
    params: byId,
    query: bulkIds,
    reply: done,
  }),
}

const freezerFilterFields = [
  'sampleStorageCode',
  'shelf',
  'rack',
  'box',
  'reqId',
  'clientId',
  'physId',
  'patientName',
  'dateCollected',
  'dateReceived',
] as const

const specsListed = listQuery({
  sort: [
    'id',
    'sampleStorageCode',
    'shelf',
    'rack',
    'box',
    'slot',
    'reqId',
    'clientName',
    'physName',
    'patientLastName',
    'dateCollected',
    'dateReceived',
  ],
  filter: freezerFilterFields,
  defaultPerPage: 10,
})

export const freezerRoutes = {
  emptyStorages: get('labs/:labId/empty_storages', {
    access: 'specimens.place',
    params: ofLab,
    query: listQuery({
      sort: ['trackerId'],
      filter: ['sampleStorageCode', 'shelf', 'rack', 'box'],
      defaultPerPage: -1,
      maxPerPage: 10_000,
    }),
    reply: page(emptyStorage),
  }),
  freezers: get(freezers, { access, params: ofLab, query: rooms, reply: page(freezerSpace) }),
  shelves: get(shelves, { access, params: ofFreezer, query: rooms, reply: page(shelfSpace) }),
  racks: get(racks, { access, params: ofShelf, query: rooms, reply: page(rackSpace) }),
  boxes: get(boxes, { access, params: ofRack, query: rooms, reply: page(boxSpace) }),
  box: get(`${boxes}/:box/slots`, {
    access: 'specimens.place',
    summary: 'Every slot of one box, and the requisition of its sample',
    params: ofBox,
    reply: one(freezerBox),
  }),
  fillBox: post(`${boxes}/:box/slots`, {
    access: 'specimens.place',
    summary: 'Places samples of many requisitions into one box, all or none; conflicts are reported by list position',
    params: ofBox,
    body: fillInput,
    reply: undoable(z.object({ ids: z.array(id) })),
  }),
  reconcile: post(`${boxes}/:box/reconcile`, {
    access: 'specimens.place',
    summary: 'What was scanned compared with what is recorded in the box, put right unless it is a dry run',
    params: ofBox,
    body: reconcileInput,
    reply: undoable(reconcileOutcome),
  }),
  moveBox: post(`${boxes}/:box/move`, { ...boxMove, params: ofBox, body: toBox }),
  moveRack: post(`${racks}/:rack/move`, { ...boxMove, params: ofRack, body: toBox.omit({ box: true }) }),
  moveShelf: post(`${shelves}/:shelf/move`, {
    ...boxMove,
    params: ofShelf,
    body: toBox.omit({ box: true, rack: true }),
  }),
  retentionRules: get('labs/:labId/retention_rules', {
    access: 'labs.write',
    params: ofLab,
    reply: list(retentionRule),
  }),
  saveRetentionRules: put('labs/:labId/retention_rules', {
    access: 'labs.write',
    params: ofLab,
    body: retentionRules,
    reply: list(retentionRule),
  }),
  discardList: get('labs/:labId/discard_list', {
    access: 'specimens.place',
    summary: 'Samples kept as long as their retention rule says, the oldest first',
    params: ofLab,
    query: listQuery({ sort: ['id', 'placedDate'], filter: [], defaultPerPage: -1 }),
    reply: page(dueSample),
  }),
  discardDue: post('labs/:labId/discard_list', {
    access: 'specimens.place',
    params: ofLab,
    body: discardInput,
    reply: undoable(z.object({ discarded: id, ids: z.array(id) })),
  }),
  samples: get('labs/:labId/samples', {
    access: 'specimens.place',
    summary: 'The requisitions of these samples, and why one cannot be stored in this laboratory',
    params: ofLab,
    query: bulkIds,
    reply: list(scannedSample),
  }),
  specs: get('freezer_specs', { access: 'freezer.open', query: specsListed, reply: page(freezerSpec) }),
  exportSpecs: get('freezer_specs/export', {
    isReportApi: true,
    access: 'freezer.open',
    patientData: true,
    query: specsListed,
    reply: exported,
    makesFile: true,
  }),
}
