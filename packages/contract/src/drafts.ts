import { z } from 'zod'
import { done, list } from './kit/envelope.ts'
import { del, get, put } from './kit/route.ts'

/** The record key of what has no id yet. */
export const newRecordKey = 'new'
export const maxDraftLength = 100_000
/** Of one person for one form and record; further ones are refused, because a draft is deleted by its owner alone. */
export const maxDrafts = 100

const name = z.string().regex(/^[\w.-]{1,100}$/, 'Not the name of a form or a record')
const ofForm = z.object({ form: name, recordKey: name })
/** The id is chosen by the form that writes: each opening of a form has a draft of its own. */
const ofDraft = ofForm.extend({ draftId: name })

const body = z
  .record(z.string().max(100), z.unknown())
  .refine((values) => JSON.stringify(values).length <= maxDraftLength, 'The draft is too long')

/** What somebody typed into a form and has not saved. `baseVersion` is the record's version when the typing began. */
export const draftInput = z.object({ baseVersion: z.number().int().nullable(), body })
const moment = z.iso.datetime({ offset: true })
export const draft = draftInput.extend({ id: z.string(), startDate: moment, updateDate: moment })
export type Draft = z.infer<typeof draft>

/** Kept on the server, not in the browser: a laboratory's computers are shared, and what is typed names patients. */
export const draftRoutes = {
  list: get('drafts/:form/:recordKey', {
    access: 'signedIn',
    patientData: true,
    summary: "One's own drafts of a form, the latest first",
    params: ofForm,
    reply: list(draft),
  }),
  save: put('drafts/:form/:recordKey/:draftId', {
    access: 'signedIn',
    params: ofDraft,
    body: draftInput,
    reply: done,
  }),
  remove: del('drafts/:form/:recordKey/:draftId', { access: 'signedIn', params: ofDraft, reply: done }),
}
