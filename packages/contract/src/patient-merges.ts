import { z } from 'zod'
import { list, one } from './kit/envelope.ts'
import { byId, get, idParam, post } from './kit/route.ts'
import type { patientLabels } from './patients.ts'

/** What is compared when two records of a patient become one, in the order shown. A state takes its country along. */
export const mergeFields = [
  'patientFirstName',
  'patientMiddleName',
  'patientLastName',
  'patientDob',
  'patientGenderCode',
  'patientRaceCode',
  'patientEthnicityCode',
  'patientSsn',
  'patientAddr1',
  'patientAddr2',
  'patientCity',
  'patientStateId',
  'patientZip',
  'patientEmail',
  'patientHomePhone',
  'patientWorkPhone',
] as const satisfies readonly (keyof typeof patientLabels)[]
export type MergeField = (typeof mergeFields)[number]

/** For so long a merge can be undone. */
export const mergeUndoDays = 30

export const mergeMessages = {
  sameRecord: 'A patient cannot be merged with itself',
  merged: 'The records have been merged',
  undone: 'The merge has been undone',
} as const

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

const mergeInput = z.object({
  /** The record that stays. */
  keepId: idParam,
  /** The record whose number leads to the kept one afterwards. */
  goneId: idParam,
  /** From which record a field is taken; the kept one's, where nothing is said. */
  fields: z.partialRecord(z.enum(mergeFields), z.enum(['KEEP', 'GONE'])).default({}),
  dryRun: z.boolean().default(false),
})
export type MergeInput = z.output<typeof mergeInput>

const difference = z.object({ field: z.enum(mergeFields), keep: text, gone: text })
export type MergeDifference = z.infer<typeof difference>

const mergeOutcome = z.object({
  /** Null in a dry run. */
  mergeId: id.nullable(),
  /** The requisitions that move to the kept record. */
  reqIds: z.array(id),
  differences: z.array(difference),
  /** The reports that are held because they print what changes. */
  heldReports: z.array(id),
  undoUntil: time.nullable(),
})
export type MergeOutcome = z.infer<typeof mergeOutcome>

const patientMerge = z.object({
  id,
  keepId: id,
  goneId: id,
  goneName: z.string(),
  goneDob: z.iso.date(),
  reqIds: z.array(id),
  mergedBy: text,
  mergeDate: time,
  undoUntil: time,
  undoneBy: text,
  undoDate: time.nullable(),
  canUndo: z.boolean(),
})
export type PatientMerge = z.infer<typeof patientMerge>

export const patientMergeRoutes = {
  merge: post('patients/merge', {
    access: 'patients.merge',
    patientData: true,
    summary: 'Makes two records of one patient one; a dry run says what would happen',
    body: mergeInput,
    reply: one(mergeOutcome),
  }),
  undo: post('patients/merges/:id/undo', {
    access: 'patients.merge',
    summary: 'Puts back what was moved, within 30 days; later requisitions stay with the kept record',
    params: byId,
    reply: one(z.object({ id, reqIds: z.array(id) })),
  }),
  ofPatient: get('patients/:id/merges', {
    access: 'patients.merge',
    summary: 'The records that were merged into this one, the newest first',
    params: byId,
    reply: list(patientMerge),
  }),
}
