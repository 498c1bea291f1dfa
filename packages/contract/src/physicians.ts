import { z } from 'zod'
import { bulkIds } from './kit/bulk.ts'
import { done, exported, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post, put } from './kit/route.ts'
import { physicianOption } from './lookups.ts'
import { optionalIds, updateFields } from './partial-input.ts'
import { flag01, optionalCode, optionalText, required, requiredCode } from './validation.ts'

/** One label per field: messages, table headers and forms read it. */
export const physicianLabels = {
  id: 'ID',
  physFirstName: 'First Name',
  physMiddleName: 'Middle Name',
  physLastName: 'Last Name',
  physTitle: 'Title',
  npiNumber: 'NPI#',
  ptanNumber: 'PTAN#',
  physPortalPrefCode: 'Portal Preference',
  clientIds: 'Clients',
  clientName: 'Client Name',
  legacyClientId: 'Client ID',
} as const

/** List columns whose heading differs from the form label. */
export const physicianColumnLabels = { npiNumber: 'NPI Number' } as const

export const physicianMessages = {
  npiLength: 'NPI# must be 10 digits',
  /** A warning; the number is saved as typed. */
  npiCheck: 'The check digit of the NPI# is wrong. Please compare it with the source.',
  duplicate: 'A physician with the same NPI# already exists.',
} as const

/** Ten digits whose last is the Luhn check digit over 80840 and the other nine (45 CFR 162.406). */
export const isNpi = (npi: string): boolean => {
  if (!/^[0-9]{10}$/.test(npi)) return false
  const sum = [...`80840${npi}`].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const label = physicianLabels
const fields = z.object({
  physFirstName: required(label.physFirstName, 50),
  physMiddleName: optionalText(label.physMiddleName, 50),
  physLastName: required(label.physLastName, 50),
  /** A code of lovs/PHYSTITLE. */
  physTitle: requiredCode(label.physTitle),
  npiNumber: required(label.npiNumber).regex(/^[0-9]{10}$/, physicianMessages.npiLength),
  ptanNumber: optionalText(label.ptanNumber, 20),
  physPortalPrefCode: optionalCode(label.physPortalPrefCode),
  /** Adds clients; DELETE physicians/{id}/clients removes one. */
  clientIds: optionalIds(label.clientIds),
})

export const physicianInput = fields
export type PhysicianInput = z.infer<typeof physicianInput>

/** PUT changes only the fields that are sent: the form, or `clientIds` alone. */
export const physicianUpdate = z.object(updateFields(fields.shape))
export type PhysicianUpdate = z.infer<typeof physicianUpdate>

const id = z.number().int()
const text = z.string().nullable()

export const physician = z.object({
  id,
  physFirstName: z.string(),
  physMiddleName: text,
  physLastName: z.string(),
  physTitle: z.string(),
  npiNumber: z.string(),
  /** 0 when the check digit is wrong: shown as a warning, never refused. */
  isNpiValid: flag01,
  ptanNumber: text,
  physPortalPrefCode: text,
  physPortalPrefDesc: text,
  /** The associated clients visible to the user, as one text. */
  clientName: text,
  legacyClientId: text,
  clientIds: z.array(id),
  version: id,
})
export type Physician = z.infer<typeof physician>

/** A row of `physicians`: all fields for users who may open physicians, the option fields for the others. */
const physicianRow = physician.partial().extend(physicianOption.shape)
export type PhysicianRow = z.infer<typeof physicianRow>

/** Asked when another physician has the same NPI; `duplicates` of the question holds them. */
export const samePhysicianQuestion = 'SAME_PHYSICIAN'

const possibleDuplicatePhysician = physician.pick({
  id: true,
  physFirstName: true,
  physLastName: true,
  physTitle: true,
  npiNumber: true,
})
export type PossibleDuplicatePhysician = z.infer<typeof possibleDuplicatePhysician>

const physicianClient = z.object({
  id,
  legacyClientId: z.string(),
  clientName: z.string(),
  clientPhone: z.string(),
  clientCity: z.string(),
  clientState: z.string(),
})
export type PhysicianClient = z.infer<typeof physicianClient>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const physicianListFields = ['id', 'physFirstName', 'physLastName', 'physTitle', 'npiNumber', 'ptanNumber'] as const
/** `clientName` and `legacyClientId` filter by the physician's clients. */
const physicianFilterFields = [
  'id',
  'physFirstName',
  'physLastName',
  'npiNumber',
  'clientName',
  'legacyClientId',
  'clientId',
  'search',
] as const
const listed = listQuery({ sort: physicianListFields, filter: physicianFilterFields, defaultPerPage: 10 })
const clientFields = Object.keys(physicianClient.shape)
const clientsListed = listQuery({ sort: clientFields, filter: ['id'], defaultPerPage: -1 })
const optionFields = Object.keys(physicianOption.shape)
const optionsListed = listQuery({
  sort: optionFields,
  filter: [...optionFields, 'clientId', 'search'],
  defaultPerPage: -1,
})

const saved = one(z.object({ id, isNpiValid: flag01 }))

export const physicianRoutes = {
  list: get('physicians', {
    access: 'lookups.read',
    cache: 'revalidate',
    summary: "All fields with 'physicians.read', otherwise names; only physicians in scope",
    query: listed,
    reply: page(physicianRow),
  }),
  filterOptions: get('filter_dd/physicians', {
    access: 'lookups.read',
    cache: 'revalidate',
    query: optionsListed,
    reply: page(physicianOption),
  }),
  export: get('physicians/export', {
    isReportApi: true,
    access: 'physicians.read',
    query: listed,
    reply: exported,
    makesFile: true,
  }),
  one: get('physicians/:id', { access: 'physicians.read', params: byId, reply: one(physician) }),
  create: post('physicians', {
    access: 'physicians.write',
    asks: [samePhysicianQuestion],
    body: physicianInput,
    reply: saved,
  }),
  update: put('physicians/:id', {
    access: 'physicians.write',
    asks: [samePhysicianQuestion],
    params: byId,
    body: physicianUpdate,
    reply: one(physician),
  }),
  remove: del('physicians/:id', { access: 'physicians.write', params: byId, reply: done }),
  removeMany: del('physicians/bulk_delete', { access: 'physicians.write', query: bulkIds, reply: done }),
  removeListed: del('physicians', { access: 'physicians.write', query: bulkIds, reply: done }),
  clients: get('physicians/:id/clients', {
    access: 'physicians.read',
    params: byId,
    query: clientsListed,
    reply: page(physicianClient),
  }),
  removeClients: del('physicians/:id/clients', {
    access: 'physicians.write',
    params: byId,
    query: bulkIds,
    reply: done,
  }),
  removeManyClients: del('physicians/:id/clients/bulk_delete', {
    access: 'physicians.write',
    params: byId,
    query: bulkIds,
    reply: done,
  }),
  removeClient: del('physicians/:id/clients/:clientId', {
    access: 'physicians.write',
    params: byId.extend({ clientId: idParam }),
    reply: done,
  }),
}
