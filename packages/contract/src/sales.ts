import { z } from 'zod'
import { bulkIds } from './kit/bulk.ts'
import { done, exported, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { salesOption } from './lookups.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { optionalId, optionalPhone, optionalText, required, requiredCode } from './validation.ts'

/** SLS sales rep, SVC service rep. */
const salesTypes = ['SLS', 'SVC'] as const

/** One label per field: messages, table headers and forms read it. */
export const salesLabels = {
  salesFirstName: 'First Name',
  salesMiddleName: 'Middle Name',
  salesLastName: 'Last Name',
  salesEmail: 'Email',
  salesPhone: 'Phone',
  salesTitle: 'Profession',
  reportToId: 'Reports To',
  salesCompanyName: 'Company',
  salesNote: 'Note',
  salesTypeCode: 'Sales Type Code',
  salesTypeDesc: 'Sales Type',
  salesRepCode: 'Sales Rep Code',
} as const

const invalidEmail = 'Invalid email'

export const salesInput = z.object({
  salesFirstName: required(salesLabels.salesFirstName, 100),
  salesMiddleName: optionalText(salesLabels.salesMiddleName, 100),
  salesLastName: required(salesLabels.salesLastName, 100),
  salesEmail: required(salesLabels.salesEmail, 254).pipe(z.email(invalidEmail)),
  salesPhone: optionalPhone,
  /** A code of lovs/SALESTITLE. */
  salesTitle: requiredCode(salesLabels.salesTitle),
  reportToId: optionalId(salesLabels.reportToId),
  salesCompanyName: optionalText(salesLabels.salesCompanyName, 150),
  salesNote: optionalText(salesLabels.salesNote),
  salesTypeCode: z.enum(salesTypes, { error: messages.required(salesLabels.salesTypeCode) }),
  /** Left empty: initials and id for a new person, unchanged for an existing one. */
  salesRepCode: optionalText(salesLabels.salesRepCode, 20),
})
export type SalesInput = z.infer<typeof salesInput>
/** PUT changes only the fields that are sent. */
const salesUpdate = z.object(updateFields(salesInput.shape))
export type SalesUpdate = z.infer<typeof salesUpdate>

const text = z.string().nullable()

const salesPerson = z.object({
  id: z.number().int(),
  salesFirstName: z.string(),
  salesMiddleName: text,
  salesLastName: z.string(),
  salesEmail: z.string(),
  /** Digits with the country code. */
  salesPhone: text,
  salesTitle: z.string(),
  reportToId: z.number().int().nullable(),
  /** First and last name of `reportToId`. */
  reportTo: text,
  salesCompanyName: text,
  salesNote: text,
  salesTypeCode: z.enum(salesTypes),
  salesTypeDesc: z.string(),
  salesRepCode: z.string(),
  version: z.number().int(),
})
export type SalesPerson = z.infer<typeof salesPerson>

/** A row of `sales`: all fields for users who maintain sales people, names and codes for the others. */
const salesRow = salesPerson.partial().extend(salesOption.shape)
export type SalesRow = z.infer<typeof salesRow>

export const salesClient = z.object({
  id: z.number().int(),
  legacyClientId: z.string(),
  clientName: z.string(),
  clientCity: z.string(),
  clientState: z.string(),
  clientPhone: z.string(),
})

const salesListFields = [
  'id',
  'salesFirstName',
  'salesLastName',
  'salesEmail',
  'salesTitle',
  'salesTypeDesc',
  'salesRepCode',
] as const
const salesFilterFields = [
  'id',
  'salesFirstName',
  'salesLastName',
  'salesEmail',
  'salesTitle',
  'salesTypeCode',
  'salesRepCode',
  'search',
] as const
const listed = listQuery({ sort: salesListFields, filter: salesFilterFields, defaultPerPage: 10 })
const staffListed = listQuery({ sort: salesListFields, filter: [], defaultPerPage: -1 })
const clientsListed = listQuery({ sort: Object.keys(salesClient.shape), filter: [], defaultPerPage: -1 })

export const salesRoutes = {
  list: get('sales', {
    access: 'lookups.read',
    cache: 'revalidate',
    summary: "All fields with 'sales.read', otherwise names and codes of the sales people in scope",
    query: listed,
    reply: page(salesRow),
  }),
  export: get('sales/export', {
    isReportApi: true,
    access: 'sales.read',
    query: listed,
    reply: exported,
    makesFile: true,
  }),
  one: get('sales/:id', { access: 'sales.read', params: byId, reply: one(salesPerson) }),
  clients: get('sales/:id/clients', {
    access: 'sales.read',
    params: byId,
    query: clientsListed,
    reply: page(salesClient),
  }),
  staff: get('sales/:id/staff', {
    access: 'sales.read',
    summary: 'Direct reports of the sales person',
    params: byId,
    query: staffListed,
    reply: page(salesPerson),
  }),
  create: post('sales', { access: 'sales.write', body: salesInput, reply: newId }),
  update: put('sales/:id', { access: 'sales.write', params: byId, body: salesUpdate, reply: one(salesPerson) }),
  remove: del('sales/:id', { access: 'sales.write', params: byId, reply: done }),
  removeMany: del('sales/bulk_delete', { access: 'sales.write', query: bulkIds, reply: done }),
  removeListed: del('sales', { access: 'sales.write', query: bulkIds, reply: done }),
}
