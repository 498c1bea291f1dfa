import { z } from 'zod'
import { bulkIds } from './kit/bulk.ts'
import { done, download, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post, put } from './kit/route.ts'
import { clientLabOption, eventOption, physicianOption } from './lookups.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { physician } from './physicians.ts'
import { optionalCode, optionalText, required, requiredId, requiredIds } from './validation.ts'

// Sub-resources of a client: one tab of its page each.

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

export const eventLabels = { eventName: 'Event Name', programId: 'Program ID', programName: 'Type' } as const
export const priceLabels = {
  testId: 'Test Code',
  testDesc: 'Test',
  price: 'Price',
  currencyCode: 'Currency',
  priceComment: 'Comment',
} as const
export const defaultCurrency = 'USD'
/** Labels of fields, and headings of the sub-tables (CLI-G9). */
export const clientRecordLabels = {
  labCode: 'Lab Code',
  labName: 'Lab Name',
  docOriginalFileName: 'File Name',
  docCreateDate: 'Date',
  docCreateByName: 'Uploaded By',
  modifiedDate: 'Date',
  auditActionDesc: 'Action',
  modifiedByName: 'By',
  salesRepCode: 'Code',
  salesName: 'Name',
  salesPhone: 'Phone',
  userName: 'Username',
  userEmail: 'Email',
  lastLoginDate: 'Last Login',
} as const

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A physician of the client: all fields for users who may open clients, the name for the others. */
const clientPhysician = physician
  .pick({ physMiddleName: true, physTitle: true, npiNumber: true, isNpiValid: true, ptanNumber: true })
  .partial()
  /** `id` is the physician; `clientPhysId` is the pair of client and physician, to which orders refer. */
  .extend({ ...physicianOption.shape, clientPhysId: id })
export type ClientPhysician = z.infer<typeof clientPhysician>

const clientLab = clientLabOption
export type ClientLab = z.infer<typeof clientLab>

const clientEvent = eventOption.extend({ clientId: id, programId: id, programName: z.string(), version: id })
export type ClientEvent = z.infer<typeof clientEvent>

/** `id` is the sales person. */
const clientSalesRep = z.object({
  id,
  salesRepCode: z.string(),
  salesFirstName: z.string(),
  salesMiddleName: text,
  salesLastName: z.string(),
  salesPhone: text,
  /** 1 for the one shown in lists. */
  isPrimary: z.literal([0, 1]),
})
export type ClientSalesRep = z.infer<typeof clientSalesRep>

const clientUser = z.object({ id, userName: z.string(), userEmail: z.string(), lastLoginDate: time.nullable() })
export type ClientUser = z.infer<typeof clientUser>

const clientDocument = z.object({
  id,
  docOriginalFileName: z.string(),
  docCreateDate: time,
  docCreateByName: text,
})
export type ClientDocument = z.infer<typeof clientDocument>

const clientPrice = z.object({
  id,
  testId: id,
  testCode: z.string(),
  testDesc: z.string(),
  /** Two decimals, at most ten digits before them: exact as a JavaScript number. */
  price: z.number(),
  currencyCode: z.string(),
  priceComment: text,
  version: id,
})
export type ClientPrice = z.infer<typeof clientPrice>

const clientHistory = z.object({
  id,
  modifiedDate: time,
  auditActionDesc: z.string(),
  modifiedByName: z.string(),
  /** The changes by form label; from null for a new record, to null for a removed one. */
  changes: z.array(z.object({ field: z.string(), label: z.string(), from: text, to: text })),
})
export type ClientHistory = z.infer<typeof clientHistory>

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const eventFields = z.object({
  eventName: required(eventLabels.eventName, 150),
  programId: requiredId(eventLabels.programId),
})
export type EventFields = z.infer<typeof eventFields>
/** PUT changes only the fields that are sent. */
const eventUpdate = z.object(updateFields(eventFields.shape))
export type EventUpdate = z.infer<typeof eventUpdate>
const eventInput = eventFields.extend({ clientId: requiredId('Client') })

const priceInvalid = messages.invalid(priceLabels.price)
/** Stays text up to the database, which stores an exact decimal. */
const price = z
  .union([z.number({ error: priceInvalid }), z.string()], {
    error: ({ input }) => (input === undefined || input === null ? messages.required(priceLabels.price) : priceInvalid),
  })
  .transform((value, context) => {
    const amount = String(value).trim()
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (amount === '') return refuse(messages.required(priceLabels.price))
    if (/^-[0-9.]*[1-9]/.test(amount)) return refuse('Price must be 0 or more')
    return /^[0-9]{1,10}(\.[0-9]{1,2})?$/.test(amount) ? amount : refuse(priceInvalid)
  })
export const priceInput = z.object({
  testId: requiredId(priceLabels.testId),
  price,
  /** A code of lovs/CURRENCY. Left empty: USD for a new price, unchanged for an existing one. */
  currencyCode: optionalCode(priceLabels.currencyCode),
  priceComment: optionalText(priceLabels.priceComment, 1000),
})
export type PriceInput = z.infer<typeof priceInput>
const priceUpdate = z.object(updateFields(priceInput.shape))
export type PriceUpdate = z.infer<typeof priceUpdate>

const fileName = required('File', 255)
const documentInit = z.object({
  fileName: z.string({ error: messages.fileMissing }).trim().min(1, messages.fileMissing).max(255),
})
/** `fileName` is the `newFileName` of the upload slot. */
export const documentInput = z.object({
  originalFileName: z.string({ error: messages.fileMissing }).trim().min(1, messages.fileMissing).max(255),
  fileName,
})
export type DocumentInput = z.infer<typeof documentInput>
/** The file is posted to `url` as a form: `fields` first, the file last. */
export const documentSlot = z.object({
  url: z.string(),
  fields: z.record(z.string(), z.string()),
  newFileName: z.string(),
})

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const whole = (row: z.ZodObject, filter: readonly string[] = [], hasAsOf = false) =>
  listQuery({ sort: Object.keys(row.shape), filter: ['id', ...filter], defaultPerPage: -1, hasAsOf })
const read = { access: 'clients.read', params: byId } as const
/** Requisition forms use these three, so all roles read them for clients in their scope. */
const choose = { access: 'lookups.read', params: byId } as const
const write = { access: 'clients.write', params: byId } as const
const recordParams = byId.extend({ recordId: idParam })

const removeOne = (name: string) =>
  del(`clients/:id/${name}/:recordId`, { access: 'clients.write', params: recordParams, reply: done })
const removeMany = (name: string) => del(`clients/:id/${name}/bulk_delete`, { ...write, query: bulkIds, reply: done })

export const clientRecordRoutes = {
  physicians: get('clients/:id/physicians', {
    ...choose,
    query: whole(clientPhysician, ['physFirstName', 'physLastName', 'npiNumber', 'search']),
    reply: page(clientPhysician),
  }),
  removePhysician: removeOne('physicians'),
  removePhysicians: removeMany('physicians'),

  labs: get('clients/:id/labs', { ...choose, query: whole(clientLab, ['labCode', 'labName']), reply: page(clientLab) }),
  addLabs: post('clients/:id/labs', { ...write, body: z.object({ labIds: requiredIds('Labs') }), reply: done }),
  removeLab: removeOne('labs'),
  removeLabs: removeMany('labs'),

  events: get('clients/:id/events', {
    ...choose,
    query: whole(clientEvent, ['eventName', 'programId']),
    reply: page(clientEvent),
  }),
  addEvent: post('events', { access: 'clients.write', body: eventInput, reply: newId }),
  updateEvent: put('clients/:id/events/:recordId', {
    access: 'clients.write',
    params: recordParams,
    body: eventUpdate,
    reply: one(clientEvent),
  }),
  removeEvent: removeOne('events'),
  removeEvents: removeMany('events'),

  sales: get('clients/:id/sales', { ...read, query: whole(clientSalesRep), reply: page(clientSalesRep) }),
  addSales: post('clients/:id/sales', {
    ...write,
    summary: 'Adds sales reps; the first one of a client is shown in lists',
    body: z.object({ salesIds: requiredIds('Sales Reps') }),
    reply: done,
  }),
  removeSalesRep: removeOne('sales'),
  removeSalesReps: removeMany('sales'),

  users: get('clients/:id/users', { ...read, query: whole(clientUser), reply: page(clientUser) }),

  docs: get('clients/:id/docs', { ...read, query: whole(clientDocument), reply: page(clientDocument) }),
  initDoc: post('clients/:id/docs/init', { ...write, body: documentInit, reply: one(documentSlot) }),
  addDoc: post('clients/:id/docs', { ...write, body: documentInput, reply: newId }),
  downloadDoc: get('clients/:id/docs/:recordId/download', {
    access: 'clients.read',
    params: recordParams,
    reply: download,
  }),
  removeDoc: removeOne('docs'),
  removeDocs: removeMany('docs'),

  prices: get('clients/:id/prices', {
    ...read,
    query: whole(clientPrice, ['testId', 'testCode', 'currencyCode'], true),
    reply: page(clientPrice),
  }),
  addPrice: post('clients/:id/prices', { ...write, body: priceInput, reply: newId }),
  updatePrice: put('clients/:id/prices/:recordId', {
    access: 'clients.write',
    params: recordParams,
    body: priceUpdate,
    reply: one(clientPrice),
  }),
  removePrice: removeOne('prices'),
  removePrices: removeMany('prices'),

  histories: get('clients/:id/histories', {
    ...read,
    summary: 'Newest first',
    query: listQuery({
      sort: ['id', 'modifiedDate', 'modifiedByName'],
      filter: ['modifiedByName'],
      defaultPerPage: -1,
    }),
    reply: page(clientHistory),
  }),
}
