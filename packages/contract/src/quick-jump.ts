import { z } from 'zod'
import { list } from './kit/envelope.ts'
import { get } from './kit/route.ts'
import { messages } from './messages.ts'

export const quickJumpKinds = ['requisition', 'patient', 'client', 'physician'] as const
export type QuickJumpKind = (typeof quickJumpKinds)[number]

/** A record that matches the typed text. */
const quickJumpHit = z.object({
  kind: z.enum(quickJumpKinds),
  id: z.number().int(),
  label: z.string(),
  /** Distinguishes it from others of the same name. */
  detail: z.string(),
  /** Its page in the web application; for a patient that of the latest requisition. */
  href: z.string(),
})
export type QuickJumpHit = z.infer<typeof quickJumpHit>

export const maxHitsPerKind = 5

export const quickJumpRoutes = {
  find: get('quick_jump', {
    access: 'profile.own',
    patientData: true,
    summary: 'Up to 20 records by accession number or name, in the scope of the caller',
    query: z.object({ q: z.string().trim().max(200, messages.tooLong('Search', 200)).default('') }),
    reply: list(quickJumpHit),
  }),
}
