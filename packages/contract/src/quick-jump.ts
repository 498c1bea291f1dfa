import { z } from 'zod'
import { list } from './kit/envelope.ts'
import { get } from './kit/route.ts'
import { messages } from './messages.ts'

export const quickJumpKinds = ['requisition', 'patient', 'client', 'physician'] as const
export type QuickJumpKind = (typeof quickJumpKinds)[number]

/** A record that the typed text leads to. */
export const quickJumpHit = z.object({
  kind: z.enum(quickJumpKinds),
  id: z.number().int(),
  label: z.string(),
  /** What tells it from others of the same name. */
  detail: z.string(),
  /** The page of the web application; a patient's is that of the latest requisition. */
  href: z.string(),
})
export type QuickJumpHit = z.infer<typeof quickJumpHit>

/** At most this many of each kind. */
export const maxHitsPerKind = 5

export const quickJumpRoutes = {
  find: get('quick_jump', {
    access: 'profile.own',
    patientData: true,
    summary: 'Up to 20 records by accession number or name, within the reach of the caller',
    query: z.object({ q: z.string().trim().max(200, messages.tooLong('Search', 200)).default('') }),
    reply: list(quickJumpHit),
  }),
}
