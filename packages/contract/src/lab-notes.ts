import { z } from 'zod'
import { list, newId } from './kit/envelope.ts'
import { byId, get, post, repeatWindowMs } from './kit/route.ts'
import { optionalText, requiredId } from './validation.ts'

export const labNoteLabels = {
  labNoteTypeId: 'Type of Note',
  note: 'Note',
  labNoteCreateDate: 'Date',
  createByName: 'By',
} as const

const id = z.number().int()
const time = z.iso.datetime({ offset: true })

const labNote = z.object({
  id,
  labNoteTypeId: id,
  labNoteTypeDesc: z.string(),
  note: z.string().nullable(),
  labNoteCreateDate: time,
  createByName: z.string().nullable(),
})
export type LabNote = z.infer<typeof labNote>

const labNoteHistory = z.object({
  id,
  actionDate: time,
  action: z.string(),
  actionBy: z.string(),
  labNoteTypeDesc: z.string(),
  note: z.string().nullable(),
})
export type LabNoteHistory = z.infer<typeof labNoteHistory>

export const labNoteInput = z.object({
  labNoteTypeId: requiredId(labNoteLabels.labNoteTypeId),
  note: optionalText(labNoteLabels.note),
})

const read = { access: 'requisitionTabs.labNotes', params: byId } as const

export const labNoteRoutes = {
  list: get('requisitions/:id/lab_notes', { ...read, reply: list(labNote) }),
  create: post('requisitions/:id/lab_notes', {
    access: 'labNotes.write',
    params: byId,
    body: labNoteInput,
    repeatsWithinMs: repeatWindowMs,
    reply: newId,
  }),
  histories: get('requisitions/:id/lab_notes/histories', { ...read, reply: list(labNoteHistory) }),
}
