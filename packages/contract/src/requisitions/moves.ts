import { z } from 'zod'
import { bulkIds } from '../kit/bulk.ts'
import { done, one, undoable } from '../kit/envelope.ts'
import { patientLabel } from '../kit/patient-data.ts'
import { byId, del, idParam, put } from '../kit/route.ts'
import { messages } from '../messages.ts'
import { flag01, requiredId } from '../validation.ts'

const id = z.number().int()

/** The statuses whose tab has the 'next status' button. */
export const movableStatuses = ['LOG', 'ACC', 'RESULT', 'REPORT', 'RELEASE'] as const

/** Why one requisition was not moved, and the tab of its page where to fix it; null if it cannot be fixed. */
const refusal = z.object({
  id,
  label: patientLabel,
  reason: z.string(),
  tabSlug: z.string().nullable(),
  /** The client whose price is missing. */
  unpricedClientId: id.optional(),
})
export type Refusal = z.infer<typeof refusal>

/** The result of a bulk action: what was done, and why the others were refused. */
export const outcome = z.object({
  moved: z.array(id),
  refused: z.array(refusal),
  /** Those of the moved that then advanced one more status automatically. */
  movedOn: z.array(id).optional(),
  /** Those that count, or would count, as delivered although a released report was never sent. */
  neverSent: z.array(id).optional(),
})
export type Outcome = z.infer<typeof outcome>

/** Questions that a move may ask. */
export const moveQuestions = {
  /** It would count as delivered, and a released report was never sent. */
  neverSent: 'NEVER_SENT',
} as const

/** How a report that was never sent from here reached its receiver: the answers to `NEVER_SENT`. */
export const deliveredOutside = {
  HAND: 'Handed over by hand',
  POST: 'Sent by post',
  FAXED: 'Faxed from a machine',
} as const

/** How long the automatic move to Resulted can be undone. */
export const undoResultedSeconds = 600

const status = z.enum(movableStatuses)
const saved = one(z.object({ id, version: z.number().int() }))
const codeIds = (label: string) =>
  z
    .array(requiredId(label))
    .max(100)
    .transform((ids) => [...new Set(ids)])
const ofRequisition = z.object({ reqID: idParam })

export const requisitionMoveRoutes = {
  bulkMove: put('requisitions/:status/next_status/bulk_move', {
    access: 'requisitions.move',
    summary: 'Move to the next status; with dryRun nothing moves and the reply says what would',
    params: z.object({ status }),
    query: bulkIds,
    asks: [moveQuestions.neverSent],
    body: z.object({ callSource: status.optional(), dryRun: z.boolean().default(false) }),
    reply: undoable(outcome),
  }),
  moveBack: put('requisitions', {
    access: 'requisitions.moveBack',
    summary: 'One Released requisition back to Accessioned',
    body: z.object({
      id: requiredId('Requisition'),
      reqStatusCode: z.literal('ACC', { error: messages.invalid('Status') }),
    }),
    reply: one(outcome),
  }),
  undoResulted: put('requisitions/:id/undo_resulted', {
    access: 'tests.edit',
    summary: 'Back to Processing, by the user whose last result has just moved it to Resulted',
    params: byId,
    body: z.object({}),
    reply: one(z.object({ id, reqStatusCode: z.string() })),
  }),
  remove: del('requisitions/:id', { access: 'requisitions.delete', params: byId, reply: done }),
  removeMany: del('requisitions/bulk_delete', {
    access: 'requisitions.delete',
    summary:
      'Delete requisitions that are still Logged or Accessioned; with dryRun=1 nothing is deleted and the reply says what would be',
    query: bulkIds.extend({ dryRun: z.literal('1').optional() }),
    reply: undoable(outcome),
  }),
}

/** Fields of a requisition that are saved one at a time. */
export const requisitionCellRoutes = {
  sendNotif: put('requisitions/:reqID/send_notif', {
    access: 'requisitions.setNotifyPatient',
    params: ofRequisition,
    body: z.object({ isSendNotif: flag01 }),
    reply: saved,
  }),
  demQc: put('requisitions/:reqID/dem_qc', {
    access: 'reports.demographicQc',
    params: ofRequisition,
    body: z.object({ isDemQcPass: flag01 }),
    reply: saved,
  }),
  passCodes: put('requisitions/:reqID/pass_codes', {
    access: 'codes.edit',
    params: ofRequisition,
    body: z.object({ passIds: codeIds('Pass Codes') }),
    reply: saved,
  }),
  failCodes: put('requisitions/:reqID/fail_codes', {
    access: 'codes.edit',
    params: ofRequisition,
    body: z.object({ failIds: codeIds('Fail Codes') }),
    reply: saved,
  }),
  flags: put('requisitions/:reqID/flags', {
    access: 'requisitions.edit',
    params: ofRequisition,
    body: z.object({ flagIds: codeIds('Flags') }),
    reply: saved,
  }),
}
