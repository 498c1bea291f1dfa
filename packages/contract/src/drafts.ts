import { z } from 'zod'
import { done, one } from './kit/envelope.ts'
import { del, get, put } from './kit/route.ts'

/** The record key of what has no id yet. */
export const newRecord = 'new'
export const maxDraftLength = 100_000

const name = z.string().regex(/^[\w.-]{1,100}$/, 'Not the name of a form or a record')
const ofForm = z.object({ form: name, recordKey: name })

const body = z
  .record(z.string().max(100), z.unknown())
  .refine((values) => JSON.stringify(values).length <= maxDraftLength, 'The draft is too long')

/** What somebody typed into a form and has not saved. `baseVersion` is the record's version when the typing began. */
export const draftInput = z.object({ baseVersion: z.number().int().nullable(), body })
export const draft = draftInput.extend({ updateDate: z.iso.datetime({ offset: true }) })
export type Draft = z.infer<typeof draft>

/** Kept on the server, not in the browser: a laboratory's computers are shared, and what is typed names patients. */
export const draftRoutes = {
  one: get('drafts/:form/:recordKey', {
    access: 'signedIn',
    patientData: true,
    summary: "One's own draft; null when there is none",
    params: ofForm,
    reply: one(draft.nullable()),
  }),
  save: put('drafts/:form/:recordKey', { access: 'signedIn', params: ofForm, body: draftInput, reply: done }),
  remove: del('drafts/:form/:recordKey', { access: 'signedIn', params: ofForm, reply: done }),
}
