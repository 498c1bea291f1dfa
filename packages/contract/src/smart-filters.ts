import { z } from 'zod'
import { done, newId, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { required } from './validation.ts'

/** Per screen; the sidebar loads that many at once. */
export const maxSmartFilters = 100
const mostValues = 60
const largestValues = 20_000

const plain = z.union([z.string().max(4000), z.number(), z.boolean()])
const value = z.union([plain, z.array(plain).max(500)]).nullable()

/** The value of one filter input and the text of its tag. */
const smartValue = z.object({ value, viewValue: value.optional() })
type SmartValue = z.infer<typeof smartValue>

const isEmpty = ({ value: given }: SmartValue) =>
  given === null || (typeof given === 'string' && given.trim() === '') || (Array.isArray(given) && given.length === 0)

/** By input id. Inputs without a value are dropped; at least one value is required. */
const smartValues = z
  .record(z.string().min(1).max(64), smartValue, { error: messages.smartViewEmpty })
  .transform((values) => Object.fromEntries(Object.entries(values).filter(([, given]) => !isEmpty(given))))
  .refine((values) => Object.keys(values).length > 0, messages.smartViewEmpty)
  .refine(
    (values) => Object.keys(values).length <= mostValues && JSON.stringify(values).length <= largestValues,
    'This filter is too large to be saved',
  )

const smartFilterInput = z.object({
  smartName: z
    .string({ error: messages.smartViewNameRequired })
    .trim()
    .min(1, messages.smartViewNameRequired)
    .max(100, messages.tooLong('Smart Filter Name', 100)),
  /** The resource whose list the view belongs to. */
  smartScreen: required('Screen', 64).regex(/^[a-z][a-z0-9_/-]*$/i, messages.invalid('Screen')),
  smartValues,
})
export type SmartFilterInput = z.infer<typeof smartFilterInput>

const smartFilter = z.object({
  id: z.number().int(),
  smartName: z.string(),
  smartScreen: z.string(),
  smartValues: z.record(z.string(), smartValue),
})
export type SmartFilter = z.infer<typeof smartFilter>

export const smartFilterRoutes = {
  list: get('smart_filters', {
    access: 'smartFilter.own',
    summary: "The user's saved views",
    query: listQuery({
      sort: ['id', 'smartName'],
      filter: ['id', 'smartScreen', 'smartName'],
      defaultPerPage: maxSmartFilters,
    }),
    reply: page(smartFilter),
  }),
  create: post('smart_filters', { access: 'smartFilter.own', body: smartFilterInput, reply: newId }),
  remove: del('smart_filters/:id', { access: 'smartFilter.own', params: byId, reply: done }),
}
