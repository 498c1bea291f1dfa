import { z } from 'zod'
import { collaboratorRange, rangesInput, rangeUpdate } from './collaborator-ranges.ts'
import { bulkIds } from './kit/bulk.ts'
import { done, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post, put } from './kit/route.ts'
import { collaboratorOption, type LovType } from './lookups.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import {
  flag01,
  optionalCode,
  optionalEmail,
  optionalPhone,
  optionalText,
  orNull,
  required,
  requiredCode,
  requiredFlag,
  requiredId,
} from './validation.ts'

/** One label per field: messages, table headers and forms read it. */
export const collaboratorLabels = {
  id: 'ID',
  colaName: 'Name',
  colaAlias: 'Alias',
  colaCountryId: 'Country',
  colaStateId: 'State',
  colaCity: 'City',
  colaZip: 'Zip',
  colaAddr1: 'Address 1',
  colaAddr2: 'Address 2',
  colaPhone: 'Phone',
  colaEmail: 'Email',
  colaFaxEmail: 'Secure Fax',
  fax: 'Fax',
  colaNote: 'Note',
  colaOfficeContact: 'Office Contact',
  cola2ndContact: '2nd Contact',
  colaLabDirector: 'Lab Director',
  colaLabNpi: 'Lab NPI',
  colaTransmitMethodCode: 'Delivery Method',
  colaBillTypeCode: 'Bill To',
  colaDeliveryNote: 'Delivery Note',
  reportNameFormatCode: 'Name Format Code',
  templateFilename: 'Template',
  reportWording: 'Report Wording',
  reportLogo: 'Report Logo',
  reportDeliverToCode: 'Deliver To',
  idPrintOutCode: 'ID Printout',
  isLisInterface: 'LIS Interface',
  isOrderIdAvailable: 'Order ID Available',
  colaPortalPrefCode: 'Portal Preference',
} as const

/** Fields with a code, and its lookup list. */
export const collaboratorCodes = {
  colaTransmitMethodCode: 'TRANSMITMETHOD',
  colaBillTypeCode: 'BILLTYPE',
  reportNameFormatCode: 'REPORTNAMEFORMAT',
  reportDeliverToCode: 'REPORTDELIVERTO',
  idPrintOutCode: 'IDPRINTOUT',
  colaPortalPrefCode: 'PORTALPREF',
} as const satisfies Record<string, LovType>

const label = collaboratorLabels

/** Of the file of a logo; the data URL is a third longer. */
const maxLogoBytes = 100_000
const logoMessage = `${label.reportLogo} must be a PNG or JPEG of at most ${maxLogoBytes / 1000} kB`
const optionalLogo = orNull(
  z
    .string()
    .max(Math.ceil((maxLogoBytes * 4) / 3) + 30, logoMessage)
    .regex(/^data:image\/(png|jpeg);base64,[A-Za-z0-9+/]+={0,2}$/, logoMessage),
  logoMessage,
)

export const collaboratorInput = z.object({
  colaName: required(label.colaName, 150),
  colaAlias: required(label.colaAlias, 50),
  colaCountryId: requiredId(label.colaCountryId),
  colaStateId: requiredId(label.colaStateId),
  colaCity: required(label.colaCity, 100),
  colaZip: required(label.colaZip, 20),
  colaAddr1: required(label.colaAddr1, 150),
  colaAddr2: optionalText(label.colaAddr2, 150),
  colaPhone: optionalPhone,
  colaEmail: optionalEmail,
  /** Where results are sent to. */
  colaFaxEmail: optionalEmail,
  /** Only displayed; nothing is sent to it. */
  fax: optionalPhone,
  colaNote: optionalText(label.colaNote),
  colaOfficeContact: optionalText(label.colaOfficeContact, 150),
  cola2ndContact: optionalText(label.cola2ndContact, 150),
  colaLabDirector: optionalText(label.colaLabDirector, 150),
  colaLabNpi: orNull(
    z
      .string()
      .trim()
      .regex(/^[0-9]{10}$/, messages.invalid(label.colaLabNpi)),
    messages.invalid(label.colaLabNpi),
  ),
  colaTransmitMethodCode: optionalCode(label.colaTransmitMethodCode),
  colaBillTypeCode: optionalCode(label.colaBillTypeCode),
  colaDeliveryNote: optionalText(label.colaDeliveryNote),
  reportNameFormatCode: requiredCode(label.reportNameFormatCode),
  templateFilename: optionalText(label.templateFilename, 255),
  /** Printed on the first page of reports. */
  reportWording: optionalText(label.reportWording, 300),
  /** A data URL. Printed in the head of reports. */
  reportLogo: optionalLogo,
  reportDeliverToCode: optionalCode(label.reportDeliverToCode),
  idPrintOutCode: optionalCode(label.idPrintOutCode),
  isLisInterface: requiredFlag(label.isLisInterface),
  isOrderIdAvailable: requiredFlag(label.isOrderIdAvailable),
  colaPortalPrefCode: optionalCode(label.colaPortalPrefCode),
})
export type CollaboratorInput = z.infer<typeof collaboratorInput>
/** PUT changes only the fields that are sent. */
const collaboratorUpdate = z.object(updateFields(collaboratorInput.shape))
export type CollaboratorUpdate = z.infer<typeof collaboratorUpdate>

const id = z.number().int()
const text = z.string().nullable()

const collaborator = z.object({
  id,
  colaName: z.string(),
  colaAlias: z.string(),
  colaCountryId: id,
  colaCountry: z.string(),
  colaStateId: id,
  colaState: z.string(),
  colaCity: z.string(),
  colaZip: z.string(),
  colaAddr1: z.string(),
  colaAddr2: text,
  /** Digits with the country code. */
  colaPhone: text,
  colaEmail: text,
  colaFaxEmail: text,
  fax: text,
  colaNote: text,
  colaOfficeContact: text,
  cola2ndContact: text,
  colaLabDirector: text,
  colaLabNpi: text,
  colaTransmitMethodCode: text,
  colaTransmitMethodDesc: text,
  colaBillTypeCode: text,
  colaBillTypeDesc: text,
  colaDeliveryNote: text,
  reportNameFormatCode: z.string(),
  reportNameFormatDesc: z.string(),
  templateFilename: text,
  reportWording: text,
  /** A data URL, scaled for the page; not in the list. */
  reportLogo: text,
  reportDeliverToCode: text,
  reportDeliverToDesc: text,
  // The specification spells code and description differently.
  idPrintOutCode: text,
  idPrintoutDesc: text,
  isLisInterface: flag01,
  isOrderIdAvailable: flag01,
  colaPortalPrefCode: text,
  colaPortalPrefDesc: text,
  version: id,
})
export type Collaborator = z.infer<typeof collaborator>

/** A row of `collaborators`: all fields for users who maintain them, the option fields for the others. */
const collaboratorRow = collaborator.partial().extend(collaboratorOption.shape)
export type CollaboratorRow = z.infer<typeof collaboratorRow>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const collaboratorListFields = ['id', 'colaName', 'colaAlias', 'colaPhone', 'colaEmail'] as const
const collaboratorFilterFields = [...collaboratorListFields, 'search'] as const
const listed = listQuery({ sort: collaboratorListFields, filter: collaboratorFilterFields, defaultPerPage: 10 })
const rangesListed = listQuery({
  sort: Object.keys(collaboratorRange.shape),
  filter: ['id', 'testId', 'testCode', 'testDesc'],
  defaultPerPage: -1,
  hasAsOf: true,
})
const byRange = byId.extend({ rangeId: idParam })

export const collaboratorRoutes = {
  list: get('collaborators', {
    access: 'lookups.read',
    cache: 'revalidate',
    summary: "All fields with 'collaborators.read', otherwise names of the collaborators in scope",
    query: listed,
    reply: page(collaboratorRow),
  }),
  one: get('collaborators/:id', { access: 'collaborators.read', params: byId, reply: one(collaborator) }),
  create: post('collaborators', { access: 'collaborators.write', body: collaboratorInput, reply: newId }),
  update: put('collaborators/:id', {
    access: 'collaborators.write',
    params: byId,
    body: collaboratorUpdate,
    reply: one(collaborator),
  }),
  remove: del('collaborators/:id', { access: 'collaborators.write', params: byId, reply: done }),
  removeMany: del('collaborators/bulk_delete', { access: 'collaborators.write', query: bulkIds, reply: done }),
  removeListed: del('collaborators', { access: 'collaborators.write', query: bulkIds, reply: done }),
  ranges: get('collaborators/:id/test_ranges', {
    access: 'collaborators.read',
    params: byId,
    query: rangesListed,
    reply: page(collaboratorRange),
  }),
  addRanges: post('collaborators/:id/test_ranges', {
    access: 'collaborators.write',
    params: byId,
    body: rangesInput,
    // `id` is that of the first one, as in every create.
    reply: one(z.object({ id, ids: z.array(id) })),
  }),
  updateRange: put('collaborators/:id/test_ranges/:rangeId', {
    access: 'collaborators.write',
    params: byRange,
    body: rangeUpdate,
    reply: one(collaboratorRange),
  }),
  removeRange: del('collaborators/:id/test_ranges/:rangeId', {
    access: 'collaborators.write',
    params: byRange,
    reply: done,
  }),
  removeRanges: del('collaborators/:id/test_ranges/bulk_delete', {
    access: 'collaborators.write',
    params: byId,
    query: bulkIds,
    reply: done,
  }),
  removeListedRanges: del('collaborators/:id/test_ranges', {
    access: 'collaborators.write',
    params: byId,
    query: bulkIds,
    reply: done,
  }),
}
