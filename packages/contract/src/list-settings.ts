import { z } from 'zod'
import { done, list, one } from './kit/envelope.ts'
import { maxSortKeys } from './kit/list-query.ts'
import { del, get, put } from './kit/route.ts'
import { messages } from './messages.ts'

/** Yes and no in a setting; 1 and 0 are accepted too. */
const yes = z.union([z.boolean(), z.literal([0, 1])]).transform(Boolean)
const name = z.string().trim().min(1).max(64)

const [narrowest, widest] = [40, 800]
const width = z
  .number()
  .int()
  .min(narrowest, `A column is at least ${narrowest} pixels wide`)
  .max(widest, `A column is at most ${widest} pixels wide`)
  .nullish()
  .transform((pixels) => pixels ?? null)

/** `width` null is the standard width. */
const columnInput = z.object({ name, isVisible: yes.default(true), width, isPinned: yes.default(false) })
const columnSetting = z.object({
  name: z.string(),
  isVisible: z.boolean(),
  width: z.number().int().nullable(),
  isPinned: z.boolean(),
})
export type ColumnSetting = z.infer<typeof columnSetting>

const sortKey = z.object({ field: name, order: z.enum(['ASC', 'DESC']) })

/** Columns in their order, and sort keys, as they are sent; unknown names are dropped later. */
export const columnsInput = z.array(columnInput).max(100, 'At most 100 columns')
export const sortInput = z.array(sortKey).max(maxSortKeys, `At most ${maxSortKeys} sort fields`)
export const columnsReply = z.array(columnSetting)
export const sortReply = z.array(sortKey)

const settingsInput = z.object({
  /** Null is the standard. */
  columns: columnsInput.nullish(),
  sort: sortInput.optional(),
  tab: z
    .string()
    .regex(/^\w{1,64}$/, messages.invalid('Tab'))
    .nullish(),
  isFilterOpen: yes.nullish(),
  perPage: z.number().int().min(1).max(500).nullish(),
})
export type ListSettingsInput = z.output<typeof settingsInput>

const listSettings = z.object({
  screen: z.string(),
  /** Of a list with standard columns, the standard ones. */
  columns: columnsReply,
  isStandard: z.boolean(),
  /** Empty is the list's own order. */
  sort: sortReply,
  tab: z.string().nullable(),
  /** Null has never been chosen. */
  isFilterOpen: z.boolean().nullable(),
  perPage: z.number().int().nullable(),
})
export type ListSettings = z.infer<typeof listSettings>

const saved = one(listSettings.extend({ dropped: z.array(z.string()) }))

const screenPart = z.string().regex(/^[\w-]{1,64}$/, messages.invalid('Screen'))
/** `requisitions%2FAll` or `users`. */
const ofScreen = z.object({ screen: z.string().regex(/^[\w/-]{1,64}$/, messages.invalid('Screen')) })
/** The same with a plain slash: `requisitions/All`. */
const ofTab = z.object({ resource: screenPart, tab: screenPart })

export const listSettingsRoutes = {
  all: get('list_settings', {
    access: 'smartFilter.own',
    summary: 'The settings of every list that the user has changed, and the views that open by default',
    reply: list(listSettings).extend({ defaultViews: z.array(z.object({ screen: z.string(), id: z.number().int() })) }),
  }),
  one: get('list_settings/:screen', { access: 'smartFilter.own', params: ofScreen, reply: one(listSettings) }),
  save: put('list_settings/:screen', {
    access: 'smartFilter.own',
    summary: 'Fields that are not sent stay; unknown names are dropped and named',
    params: ofScreen,
    body: settingsInput,
    reply: saved,
  }),
  reset: del('list_settings/:screen', { access: 'smartFilter.own', params: ofScreen, reply: done }),
  oneTab: get('list_settings/:resource/:tab', { access: 'smartFilter.own', params: ofTab, reply: one(listSettings) }),
  saveTab: put('list_settings/:resource/:tab', {
    access: 'smartFilter.own',
    params: ofTab,
    body: settingsInput,
    reply: saved,
  }),
  resetTab: del('list_settings/:resource/:tab', { access: 'smartFilter.own', params: ofTab, reply: done }),
}
