import { z } from 'zod'
import { registered } from './access/roles.ts'
import { done, list, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { columnsInput, columnsReply, sortInput, sortReply } from './list-settings.ts'
import { messages } from './messages.ts'
import { optionalIds, updateField } from './partial-input.ts'
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

const smartName = z
  .string({ error: messages.smartViewNameRequired })
  .trim()
  .min(1, messages.smartViewNameRequired)
  .max(100, messages.tooLong('Smart Filter Name', 100))
/** Null is the list's own order, or the user's own columns. */
const sort = sortInput.nullish().transform((keys) => keys ?? null)
const columns = columnsInput.nullish().transform((given) => given ?? null)

/** Yes and no; 1 and 0 are accepted too. */
const yes = z.union([z.boolean(), z.literal([0, 1])]).transform(Boolean)

const smartFilterInput = z.object({
  smartName,
  /** The resource whose list the view belongs to. */
  smartScreen: required('Screen', 64).regex(/^[a-z][a-z0-9_/-]*$/i, messages.invalid('Screen')),
  smartValues,
  sort,
  columns,
  /** The owner's own choice. */
  isDefault: yes.optional(),
  isPinned: yes.optional(),
})
export type SmartFilterInput = z.infer<typeof smartFilterInput>

const smartFilterUpdate = z.object({
  smartName: updateField(smartName),
  smartValues: updateField(smartValues),
  sort: updateField(sort),
  columns: updateField(columns),
  isDefault: yes.optional(),
  isPinned: yes.optional(),
  /** As read; without it the last write wins. */
  version: z.number().int().positive().nullish(),
})
export type SmartFilterUpdate = z.infer<typeof smartFilterUpdate>

const smartFilterChoice = z.object({ isDefault: yes.optional(), isPinned: yes.optional() })
export type SmartFilterChoice = z.infer<typeof smartFilterChoice>

const roleCodes = z
  .array(z.literal(registered), { error: messages.invalid('Role') })
  .max(registered.length, messages.invalid('Role'))
  .nullish()
  .transform((codes) => [...new Set(codes)])

const smartFilterShares = z.object({ roleCodes, userIds: optionalIds('User') })
export type SmartFilterShares = z.infer<typeof smartFilterShares>

const smartFilter = z.object({
  id: z.number().int(),
  smartName: z.string(),
  smartScreen: z.string(),
  smartValues: z.record(z.string(), smartValue),
  sort: sortReply.nullable(),
  columns: columnsReply.nullable(),
  /** The reader's own choice, also of a view that another user shares. */
  isDefault: z.boolean(),
  isPinned: z.boolean(),
  isOwn: z.boolean(),
  ownerName: z.string(),
  canChange: z.boolean(),
  /** With whom it is shared; only its owner gets this. */
  roleCodes: z.array(z.string()),
  userIds: z.array(z.number().int()),
  version: z.number().int(),
})
export type SmartFilter = z.infer<typeof smartFilter>

/** A person with whom a view can be shared. */
const receiver = z.object({
  id: z.number().int(),
  userName: z.string(),
  userFullName: z.string(),
  userRoleCode: z.string(),
})

export const smartFilterRoutes = {
  list: get('smart_filters', {
    access: 'smartFilter.own',
    summary: "The user's saved views, and those that others share with the user",
    query: listQuery({
      sort: ['id', 'smartName'],
      filter: ['id', 'smartScreen', 'smartName'],
      defaultPerPage: maxSmartFilters,
    }),
    reply: page(smartFilter),
  }),
  receivers: get('smart_filters/receivers', {
    access: 'smartFilter.own',
    summary: 'The people with whom the user can share a view',
    reply: list(receiver),
  }),
  create: post('smart_filters', { access: 'smartFilter.own', body: smartFilterInput, reply: newId }),
  update: put('smart_filters/:id', {
    access: 'smartFilter.own',
    params: byId,
    body: smartFilterUpdate,
    reply: one(smartFilter),
  }),
  share: put('smart_filters/:id/shares', {
    access: 'smartFilter.own',
    summary: 'Replaces the roles and people with whom the owner shares the view',
    params: byId,
    body: smartFilterShares,
    reply: one(smartFilter),
  }),
  choose: put('smart_filters/:id/mine', {
    access: 'smartFilter.own',
    summary: 'Opens the view by default for the user, or pins it to Home',
    params: byId,
    body: smartFilterChoice,
    reply: one(smartFilter),
  }),
  remove: del('smart_filters/:id', { access: 'smartFilter.own', params: byId, reply: done }),
}
