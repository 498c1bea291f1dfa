import { z } from 'zod'
import { done, exported, list, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { flag01, optionalId, optionalText, required } from './validation.ts'

export const interfaceLabels = {
  name: 'Name',
  kind: 'Kind',
  clientId: 'Client',
  colaId: 'Collaborator',
  isActive: 'Active',
  isTest: 'Test',
  autoAccept: 'Accept without a person',
  sendingApp: 'Sending Application',
  sendingFacility: 'Sending Facility',
  resultUrl: 'Result Address',
  apiClientId: 'API Client',
  codes: 'Codes',
} as const
const label = interfaceLabels

const interfaceKinds = ['HL7', 'FHIR'] as const
const kind = z.enum(interfaceKinds, { error: messages.required(label.kind) })

// ── partners ────────────────────────────────────────────────────────────────────────────────────────────────────────

const resultUrl = optionalText(label.resultUrl, 300).refine(
  (url) => url === null || /^mllps?:\/\/(\[[\da-fA-F:.]+\]|[^\s/:?#@[\]]+):\d{1,5}\/?$/.test(url),
  `${label.resultUrl} must be mllp://host:port or mllps://host:port`,
)

const partnerShape = {
  name: required(label.name, 100),
  kind,
  clientId: optionalId(label.clientId),
  colaId: optionalId(label.colaId),
  isActive: flag01.default(1),
  isTest: flag01.default(0),
  autoAccept: flag01.default(1),
  /** MSH-3.1 and MSH-4.1 of its messages. */
  sendingApp: optionalText(label.sendingApp, 180),
  sendingFacility: optionalText(label.sendingFacility, 180),
  resultUrl,
  apiClientId: optionalId(label.apiClientId),
}

const interfaceInput = z.object(partnerShape)
export type InterfaceInput = z.infer<typeof interfaceInput>
/** PUT changes only the fields that are sent. */
const interfaceUpdate = z.object({
  ...updateFields(partnerShape),
  isActive: flag01.optional(),
  isTest: flag01.optional(),
  autoAccept: flag01.optional(),
})
export type InterfaceUpdate = z.infer<typeof interfaceUpdate>

const id = z.number().int()
const text = z.string().nullable()
const instant = z.iso.datetime({ offset: true }).nullable()

const partner = z.object({
  id,
  name: z.string(),
  kind,
  clientId: id.nullable(),
  clientName: text,
  colaId: id.nullable(),
  colaName: text,
  isActive: flag01,
  isTest: flag01,
  autoAccept: flag01,
  sendingApp: text,
  sendingFacility: text,
  resultUrl: text,
  apiClientId: id.nullable(),
  version: id,
  /** Messages of the last 24 hours, and what waits. */
  inCount: id,
  outCount: id,
  heldCount: id,
  failedCount: id,
  retryingCount: id,
  lastMessageDate: instant,
})
export type InterfacePartner = z.infer<typeof partner>

const partnerFields = [
  'id',
  'name',
  'kind',
  'clientId',
  'clientName',
  'colaId',
  'colaName',
  'isActive',
  'isTest',
  'autoAccept',
  'sendingApp',
  'sendingFacility',
] as const
const partnersListed = listQuery({
  sort: [...partnerFields, 'lastMessageDate'],
  filter: [...partnerFields, 'search'],
  defaultPerPage: 25,
})

// ── codes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const codeInput = z
  .object({
    code: required('Code', 100),
    testId: optionalId('Test'),
    panelId: optionalId('Panel'),
  })
  .refine(({ testId, panelId }) => (testId === null) !== (panelId === null), {
    path: ['testId'],
    message: 'Either a test or a panel must be chosen',
  })
export type CodeInput = z.infer<typeof codeInput>

const maxCodes = 5000
const codesInput = z
  .array(codeInput, { error: messages.required(label.codes) })
  .max(maxCodes, `At most ${maxCodes} codes`)
  .superRefine((codes, context) => {
    const seen = new Set<string>()
    for (const [index, { code }] of codes.entries()) {
      if (seen.has(code))
        context.addIssue({ code: 'custom', path: [index, 'code'], message: `Code ${code} is given twice` })
      seen.add(code)
    }
  })

const partnerCode = z.object({
  code: z.string(),
  testId: id.nullable(),
  testCode: text,
  panelId: id.nullable(),
  panelCode: text,
})
export type PartnerCode = z.infer<typeof partnerCode>

/** What a code can mean: a test or a panel. */
const orderable = z.object({ testId: id.nullable(), panelId: id.nullable(), code: z.string(), name: z.string() })
export type Orderable = z.infer<typeof orderable>

/** Topic of the event that makes an open desk read again; it has no data. */
export const interfaceTopic = 'interfaces'

// ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────────

export const messageStates = [
  'RECEIVED',
  'ACCEPTED',
  'HELD',
  'REJECTED',
  'SENT',
  'RETRYING',
  'FAILED',
  'DISMISSED',
] as const
export type MessageState = (typeof messageStates)[number]

/** The states that each tab of the interface desk shows, by its name in the address (`/interfaces?show=waiting`). */
export const deskTabStates = {
  all: [],
  waiting: ['HELD', 'FAILED'],
  HELD: ['HELD'],
  FAILED: ['FAILED'],
  RETRYING: ['RETRYING'],
  ACCEPTED: ['ACCEPTED', 'SENT'],
  REJECTED: ['REJECTED', 'DISMISSED'],
} as const satisfies Record<string, readonly MessageState[]>

const problemCodes = [
  'UNKNOWN_TEST',
  'UNKNOWN_PHYSICIAN',
  'UNKNOWN_CLIENT',
  'PATIENT_CONFLICT',
  'MISSING_FIELD',
  'NOT_ALLOWED_NOW',
  'NEEDS_APPROVAL',
] as const
export type ProblemCode = (typeof problemCodes)[number]

export const messageLabels = {
  direction: 'Direction',
  kind: 'Kind',
  interfaceName: 'Interface',
  messageType: 'Message Type',
  controlId: 'Control ID',
  state: 'State',
  ackCode: 'Answer',
  reason: 'Reason',
  reqId: 'Req ID',
  patientId: 'Patient ID',
  patientName: 'Patient',
  attempts: 'Attempts',
  receivedDate: 'Received',
  settledDate: 'Settled',
} as const

const messageRow = z.object({
  id,
  direction: z.enum(['IN', 'OUT']),
  kind: z.enum(['HL7', 'FHIR', 'WEBHOOK']),
  interfaceId: id.nullable(),
  interfaceName: text,
  /** `ORM^O01`, `Bundle`, `order.held`. */
  messageType: text,
  controlId: text,
  state: z.enum(messageStates),
  /** MSA-1 or the HTTP status. */
  ackCode: text,
  reason: text,
  reqId: id.nullable(),
  patientId: id.nullable(),
  /** Of the requisition, else as the message names them. */
  patientName: text,
  attempts: id,
  receivedDate: z.iso.datetime({ offset: true }),
  settledDate: instant,
})
export type InterfaceMessage = z.infer<typeof messageRow>

const problem = z.object({ code: z.enum(problemCodes), path: z.string(), value: z.string(), message: z.string() })

const preview = z.object({
  /** What would be done: a new requisition, a change, a cancellation, an update of the patient. */
  action: z.string(),
  patientName: text,
  patientDob: text,
  /** Null for a new patient. */
  patientId: id.nullable(),
  clientName: text,
  physName: text,
  collectedDate: text,
  collectedTz: text,
  extOrderId: text,
  tests: z.array(z.object({ code: z.string(), from: z.string(), isKnown: flag01 })),
  icds: z.array(z.string()),
  insurances: z.array(z.string()),
  isStat: flag01,
  isFasting: flag01.nullable(),
})
export type MessagePreview = z.infer<typeof preview>

const messageDetail = messageRow.extend({
  /** Null once it has been deleted (INTERFACE_RAW_DAYS). */
  rawMessage: text,
  fields: z.array(z.object({ path: z.string(), name: z.string(), value: z.string() })),
  answer: text,
  problems: z.array(problem),
  preview: preview.nullable(),
  clientId: id.nullable(),
  /** A test or panel that probably is what an unknown code means. */
  suggestions: z.array(z.object({ code: z.string(), testId: id.nullable(), panelId: id.nullable(), why: z.string() })),
  /** Patients that the message may be about, the likeliest first. */
  candidates: z.array(
    z.object({
      patientId: id,
      patientName: z.string(),
      patientDob: z.string(),
      patientGenderCode: z.string(),
      patientCity: text,
      why: z.string(),
    }),
  ),
  /** The physicians who order for the client. */
  physicians: z.array(z.object({ physId: id, physName: z.string(), physNpi: z.string() })),
  sameCauseCount: id,
})
export type InterfaceMessageDetail = z.infer<typeof messageDetail>

const reprocessInput = z.object({
  codes: codesInput.optional(),
  physId: optionalId('Physician'),
  patientId: optionalId('Patient'),
  newPatient: flag01.default(0),
  approve: flag01.default(0),
  alsoSame: flag01.default(0),
})
export type ReprocessInput = z.infer<typeof reprocessInput>

const dismissInput = z.object({ reason: required('Reason', 500) })

const reprocessed = z.object({
  id,
  state: z.enum(messageStates),
  reason: text,
  reqId: id.nullable(),
  patientId: id.nullable(),
  problems: z.array(problem),
  /** Other messages that the same decision has settled. */
  alsoSettled: z.array(id),
})
export type Reprocessed = z.infer<typeof reprocessed>

const messageFields = [
  'id',
  'direction',
  'kind',
  'interfaceId',
  'interfaceName',
  'messageType',
  'controlId',
  'state',
  'ackCode',
  'reason',
  'reqId',
  'patientId',
  'attempts',
  'receivedDate',
  'settledDate',
] as const
const messagesListed = listQuery({
  sort: messageFields,
  filter: [...messageFields, 'search'],
  defaultPerPage: 25,
})

export const interfaceRoutes = {
  list: get('interfaces', { access: 'interfaces.read', query: partnersListed, reply: page(partner) }),
  export: get('interfaces/export', {
    isReportApi: true,
    access: 'interfaces.read',
    query: partnersListed,
    reply: exported,
    makesFile: true,
  }),
  orderables: get('interfaces/orderables', {
    access: 'interfaces.read',
    summary: 'The tests and panels that a code can mean',
    reply: list(orderable),
  }),
  one: get('interfaces/:id', { access: 'interfaces.read', params: byId, reply: one(partner) }),
  create: post('interfaces', { access: 'interfaces.manage', body: interfaceInput, reply: newId }),
  update: put('interfaces/:id', {
    access: 'interfaces.manage',
    params: byId,
    body: interfaceUpdate,
    reply: one(partner),
  }),
  remove: del('interfaces/:id', { access: 'interfaces.manage', params: byId, reply: done }),
  codes: get('interfaces/:id/codes', { access: 'interfaces.read', params: byId, reply: list(partnerCode) }),
  saveCodes: put('interfaces/:id/codes', {
    access: 'interfaces.manage',
    summary: "Replaces the partner's code table",
    params: byId,
    body: z.object({ codes: codesInput }),
    reply: list(partnerCode),
  }),
}

export const interfaceMessageRoutes = {
  list: get('interface_messages', { access: 'interfaces.read', query: messagesListed, reply: page(messageRow) }),
  export: get('interface_messages/export', {
    isReportApi: true,
    patientData: true,
    access: 'interfaces.read',
    query: messagesListed,
    reply: exported,
    makesFile: true,
  }),
  stateCount: get('interface_messages/state_count', {
    access: 'interfaces.read',
    query: messagesListed,
    reply: list(z.object({ state: z.enum(messageStates), count: id })),
  }),
  one: get('interface_messages/:id', {
    access: 'interfaces.read',
    summary: 'With the raw message, its fields, its problems and what would be made of it',
    params: byId,
    reply: one(messageDetail),
  }),
  sameCause: get('interface_messages/:id/same_cause', {
    access: 'interfaces.read',
    summary: 'The other held messages of the partner with the same cause',
    params: byId,
    reply: list(messageRow),
  }),
  reprocess: post('interface_messages/:id/reprocess', {
    access: 'interfaces.work',
    summary: 'Works a held message again, with what a person has decided about it',
    params: byId,
    body: reprocessInput,
    reply: one(reprocessed),
  }),
  dismiss: post('interface_messages/:id/dismiss', {
    access: 'interfaces.work',
    summary: 'Settles a held message without making anything of it',
    params: byId,
    body: dismissInput,
    reply: done,
  }),
  resend: post('interface_messages/:id/resend', {
    access: 'interfaces.work',
    summary: 'Sends an outgoing message again',
    params: byId,
    reply: done,
  }),
}
