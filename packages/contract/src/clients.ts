import { z } from 'zod'
import { bulkIds } from './kit/bulk.ts'
import { done, exported, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { clientOption, type LovType } from './lookups.ts'
import { messages } from './messages.ts'
import { optionalIds, updateField, updateFields } from './partial-input.ts'
import {
  flag01,
  optionalCode,
  optionalEmail,
  optionalId,
  optionalPhone,
  optionalText,
  phoneCreate,
  required,
  requiredCode,
  requiredId,
  requiredIds,
} from './validation.ts'

/** The value of `clientTz` when the time zone could not be determined. */
export const unknownTimeZone = 'TZNA'

/** One label per field: messages, table headers and forms read it. */
export const clientLabels = {
  legacyClientId: 'Client ID',
  clientName: 'Name',
  clientExtId: 'External ID',
  clientAddr1: 'Address 1',
  clientAddr2: 'Address 2',
  clientCountryId: 'Country',
  clientCity: 'City',
  clientStateId: 'State',
  clientZip: 'Zip',
  clientPhone: 'Phone',
  clientEmail: 'Email',
  clientFaxEmail: 'Secure Fax',
  clientDeliveryNote: 'Delivery Note',
  clientNote: 'Note',
  isNoteVisible: 'Note visible to the client',
  colaId: 'Collaborator',
  serviceId: 'Service Rep',
  salesIds: 'Sales Reps',
  salesRep: 'Sales Rep',
  labIds: 'Performing Laboratories',
  physIds: 'Physicians',
  clientReqTypeCode: 'Requisition Type',
  clientTransmitMethodCode: 'Test Result Delivery Method',
  clientBillTypeCode: 'Bill To',
  clientName2: 'Secondary Contact Name',
  clientPhone2: 'Secondary Contact Phone',
  clientEmail2: 'Secondary Contact Email',
  isContractPhleb: 'Contract Phlebotomy',
  clientPortalPrefCode: 'Portal Preference',
  isPortalOrder: 'Orders in the portal',
  clientTz: 'Timezone',
} as const

/** List columns whose heading differs from the form label. */
export const clientColumnLabels = { clientFaxEmail: 'Fax', clientCountry: 'Country', clientState: 'State' } as const

/** Fields with a code, and its lookup list. */
export const clientCodes = {
  clientReqTypeCode: 'CLIENTREQTYPE',
  clientTransmitMethodCode: 'TRANSMITMETHOD',
  clientBillTypeCode: 'BILLTYPE',
  clientPortalPrefCode: 'PORTALPREF',
} as const satisfies Record<string, LovType>

export const clientMessages = {
  zipInvalid: 'Invalid zip',
  duplicate: 'A client with the same name and zip already exists.',
} as const

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const label = clientLabels
/** A zone of the time zone database, such as America/Chicago. Offsets and abbreviations do not cover daylight saving time. */
export const isTimeZone = (text: string): boolean => {
  if (!/^(?:[A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+){1,2}|UTC)$/.test(text)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }))
  } catch {
    return false
  }
}

const fields = z.object({
  /** Left empty: generated for a new client, unchanged for an existing one. */
  legacyClientId: optionalText(label.legacyClientId, 30),
  clientName: required(label.clientName, 150),
  clientExtId: optionalText(label.clientExtId, 50),
  clientAddr1: required(label.clientAddr1, 150),
  clientAddr2: optionalText(label.clientAddr2, 150),
  clientCountryId: requiredId(label.clientCountryId),
  clientCity: required(label.clientCity, 100),
  clientStateId: requiredId(label.clientStateId),
  clientZip: required(label.clientZip, 20),
  clientPhone: required(label.clientPhone, 40).pipe(phoneCreate),
  clientEmail: optionalEmail,
  clientFaxEmail: optionalEmail,
  clientDeliveryNote: optionalText(label.clientDeliveryNote, 1000),
  clientNote: optionalText(label.clientNote, 1000),
  /** Whether the client's users see the note. */
  isNoteVisible: z.literal([0, 1], { error: messages.invalid(label.isNoteVisible) }).default(0),
  colaId: requiredId(label.colaId),
  serviceId: optionalId(label.serviceId),
  /** The first is shown in lists. */
  salesIds: optionalIds(label.salesIds),
  labIds: requiredIds(label.labIds),
  clientReqTypeCode: optionalCode(label.clientReqTypeCode),
  clientTransmitMethodCode: requiredCode(label.clientTransmitMethodCode),
  clientBillTypeCode: requiredCode(label.clientBillTypeCode),
  clientName2: optionalText(label.clientName2, 150),
  clientPhone2: optionalPhone,
  clientEmail2: optionalEmail,
  isContractPhleb: z.literal([0, 1], { error: messages.invalid(label.isContractPhleb) }).default(0),
  clientPortalPrefCode: optionalCode(label.clientPortalPrefCode),
  /** Whether the users of the client and its physicians may order tests (HOME-11). */
  isPortalOrder: z.literal([0, 1], { error: messages.invalid(label.isPortalOrder) }).default(0),
  /** Set by hand; if empty or TZNA, the server estimates it from the address. */
  clientTz: optionalText(label.clientTz, 64)
    .transform((zone) => (zone === unknownTimeZone ? null : zone))
    .refine((zone) => zone === null || isTimeZone(zone), messages.invalid(label.clientTz)),
})
/** Every field of a client as it is stored. */
export type ClientFields = z.infer<typeof fields>

/** The fields required by the transmit method; checked by the form and the server. */
export const deliveryErrors = ({
  clientTransmitMethodCode: method,
  clientFaxEmail,
  clientEmail,
}: Pick<ClientFields, 'clientTransmitMethodCode' | 'clientFaxEmail' | 'clientEmail'>) => [
  ...(method === 'FAX' && !clientFaxEmail
    ? [{ field: 'clientFaxEmail', message: messages.required(label.clientFaxEmail) }]
    : []),
  ...(method === 'EMAIL' && !clientEmail
    ? [{ field: 'clientEmail', message: messages.required(label.clientEmail) }]
    : []),
]

/** The complete form: the body of POST, and the validation of the edit form. */
export const clientInput = fields.superRefine((client, context) => {
  for (const { field, message } of deliveryErrors(client)) context.addIssue({ code: 'custom', path: [field], message })
})
export type ClientInput = z.infer<typeof clientInput>

/** PUT changes only the fields that are sent: the form, the note alone, or `physIds`, which adds physicians. */
export const clientUpdate = z.object({
  ...updateFields(fields.shape),
  physIds: updateField(requiredIds(label.physIds)),
})
export type ClientUpdate = z.infer<typeof clientUpdate>

// ── records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const id = z.number().int()
const text = z.string().nullable()

const client = z.object({
  id,
  legacyClientId: z.string(),
  clientName: z.string(),
  clientExtId: text,
  clientAddr1: z.string(),
  clientAddr2: text,
  clientCountryId: id,
  clientCountry: z.string(),
  clientCity: z.string(),
  clientStateId: id,
  clientState: z.string(),
  clientZip: z.string(),
  /** Digits with the country code. */
  clientPhone: z.string(),
  clientEmail: text,
  clientFaxEmail: text,
  clientDeliveryNote: text,
  /** Null for users of the client unless `isNoteVisible`. */
  clientNote: text,
  isNoteVisible: z.literal([0, 1]),
  colaId: id,
  colaName: z.string(),
  serviceId: id.nullable(),
  serviceName: text,
  /** The one shown in lists comes first. */
  salesIds: z.array(id),
  /** First and last name of the first sales rep. */
  salesRep: text,
  /** The names of all sales reps. */
  salesNames: text,
  /** JSON text: {"salesReps":[{"salesId":1,"salesRepCode":"AB1"}]}. */
  salesJson: z.string(),
  labIds: z.array(id),
  labNames: text,
  clientReqTypeCode: text,
  clientReqTypeDesc: text,
  clientTransmitMethodCode: z.string(),
  clientTransmitMethodDesc: z.string(),
  clientBillTypeCode: z.string(),
  clientBillTypeDesc: z.string(),
  clientName2: text,
  clientPhone2: text,
  clientEmail2: text,
  isContractPhleb: flag01,
  clientPortalPrefCode: text,
  clientPortalPrefDesc: text,
  isPortalOrder: flag01,
  /** TZNA when it could not be determined. */
  clientTz: z.string(),
  version: id,
})
export type Client = z.infer<typeof client>

/** A row of `clients`: the list columns for users who may open clients, the option fields for the others. */
const clientRow = client.partial().extend(clientOption.shape)
export type ClientRow = z.infer<typeof clientRow>

/** Asked when another client has the same name and zip; `duplicates` of the question holds them. */
export const sameClientQuestion = 'SAME_CLIENT'

const possibleDuplicateClient = client.pick({
  id: true,
  legacyClientId: true,
  clientName: true,
  clientAddr1: true,
  clientCity: true,
  clientState: true,
  clientZip: true,
  clientPhone: true,
})
export type PossibleDuplicateClient = z.infer<typeof possibleDuplicateClient>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const clientListFields = [
  'id',
  'legacyClientId',
  'clientName',
  'clientPhone',
  'clientFaxEmail',
  'clientCountry',
  'clientCity',
  'clientState',
  'clientZip',
  'salesRep',
  'colaName',
  'clientTz',
] as const
const clientFilterFields = [
  'id',
  'legacyClientId',
  'clientName',
  'clientPhone',
  'clientCity',
  'clientZip',
  'clientStateId',
  'clientCountryId',
  'colaId',
  'salesId',
  'isTzMissing',
  'search',
] as const
const listed = listQuery({ sort: clientListFields, filter: clientFilterFields, defaultPerPage: 10 })
const optionFields = Object.keys(clientOption.shape)
const optionsListed = listQuery({ sort: optionFields, filter: [...optionFields, 'search'], defaultPerPage: -1 })

export const clientRoutes = {
  list: get('clients', {
    access: 'lookups.read',
    cache: 'revalidate',
    summary: "All fields with 'clients.read', otherwise ids and names; only clients in scope",
    query: listed,
    reply: page(clientRow),
  }),
  filterOptions: get('filter_dd/clients', {
    access: 'lookups.read',
    cache: 'revalidate',
    query: optionsListed,
    reply: page(clientOption),
  }),
  export: get('clients/export', {
    isReportApi: true,
    access: 'clients.read',
    query: listed,
    reply: exported,
    makesFile: true,
  }),
  one: get('clients/:id', { access: 'clients.read', params: byId, reply: one(client) }),
  create: post('clients', {
    access: 'clients.write',
    asks: [sameClientQuestion],
    body: clientInput,
    reply: newId,
  }),
  update: put('clients/:id', {
    access: 'clients.write',
    asks: [sameClientQuestion],
    params: byId,
    body: clientUpdate,
    reply: one(client),
  }),
  remove: del('clients/:id', { access: 'clients.write', params: byId, reply: done }),
  removeMany: del('clients/bulk_delete', { access: 'clients.write', query: bulkIds, reply: done }),
}
